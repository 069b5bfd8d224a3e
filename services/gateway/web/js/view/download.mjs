// Files from the page.

/** Let the browser save a text under a name. */
export const saveText = (name, text) => saveBlob(name, new Blob([text], { type: "text/plain;charset=utf-8" }));

/** Let the browser save bytes under a name. */
export function saveBlob(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copy a text; where the browser has no clipboard, say so by returning false. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
