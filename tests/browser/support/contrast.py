"""Whether text can be read on what lies behind it (WCAG 2: 4.5 to 1, large text 3 to 1)."""

from __future__ import annotations

from typing import Final

LOW_CONTRAST: Final = r"""() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], [R, G, B]) => {
    return [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  // What may lie behind: the opaque colours of the nearest gradient, or a colour, under what is half clear.
  const behind = (node) => {
    const veils = [];
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const named = style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
      const stops = named.map(parse).filter((one) => one[3] === 1);
      const color = parse(style.backgroundColor);
      const solid = stops.length ? stops : color[3] === 1 ? [color] : [];
      if (solid.length) return solid.map((one) => veils.reduceRight((under, veil) => over(veil, under), one));
      if (color[3] > 0) veils.push(color);
      if (style.position === "fixed" && at.matches(".dialog, .toast")) break;
    }
    return [[11, 52, 39, 1]];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const words = walker.currentNode.nodeValue.trim();
    if (!words || !node.checkVisibility({ checkVisibilityCSS: true })) continue;
    if (node.closest(":disabled, .closed, noscript")) continue;
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    const ink = parse(style.color);
    const worst = Math.min(...behind(node).map((ground) => ratio(over(ink, ground), ground)));
    if (worst >= (isLarge ? 3 : 4.5)) continue;
    found.add(`${node.className} "${words.slice(0, 12)}" has contrast ${worst.toFixed(1)}`);
  }
  return [...found];
}"""
"""Returns what is hard to read, one line each."""
