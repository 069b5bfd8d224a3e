// Protobuf for the page: reads and writes the wire format from a table of messages (protos.json), without eval.
// Integers of 64 bits become numbers; those of Paiju (times, coins, counters) stay far below 2^53.

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const TWO_32 = 2 ** 32;
const DEPTH_MAX = 16;

const utf8 = new TextEncoder();
const text = new TextDecoder("utf-8", { fatal: true });

/** Writes one message. */
class Writer {
  constructor() {
    this.parts = [];
    this.length = 0;
  }

  put(bytes) {
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  /** A whole number as a varint; a negative one takes ten bytes, as int32 and int64 do on the wire. */
  varint(value) {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number: ${value}`);
    let low = value % TWO_32;
    let high = Math.floor(value / TWO_32);
    if (low < 0) low += TWO_32;
    low >>>= 0;
    high >>>= 0;
    const bytes = [];
    while (high > 0 || low > 127) {
      bytes.push((low & 127) | 128);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    bytes.push(low);
    this.put(Uint8Array.from(bytes));
  }

  tag(number, wire) {
    this.varint(number * 8 + wire);
  }

  sized(bytes) {
    this.varint(bytes.length);
    this.put(bytes);
  }

  whole() {
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

/** Reads one message. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  byte() {
    if (this.done) throw new RangeError("the message ends in the middle");
    return this.bytes[this.at++];
  }

  /** Two halves of 32 bits. */
  halves() {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= bits << 31;
      if (byte < 128) return [low >>> 0, high >>> 0];
    }
    throw new RangeError("a number is too long");
  }

  uint() {
    const [low, high] = this.halves();
    return high * TWO_32 + low;
  }

  int() {
    const [low, high] = this.halves();
    return (high | 0) * TWO_32 + low;
  }

  slice() {
    const size = this.uint();
    if (this.at + size > this.bytes.length) throw new RangeError("the message ends in the middle");
    const part = this.bytes.subarray(this.at, this.at + size);
    this.at += size;
    return part;
  }

  skip(wire) {
    if (wire === VARINT) this.halves();
    else if (wire === BYTES) this.slice();
    else if (wire === FIXED64) this.at += 8;
    else if (wire === FIXED32) this.at += 4;
    else throw new RangeError(`unknown wire type ${wire}`);
  }
}

/** Encodes and decodes every message of a table made by tools/page_protos.py. */
export class Codec {
  constructor(table) {
    this.methods = table.methods;
    this.enums = table.enums;
    this.messages = new Map();
    for (const [name, rows] of Object.entries(table.messages)) {
      const fields = rows.map(([number, field, kind, shape, type]) => ({ number, name: field, kind, shape, type }));
      this.messages.set(name, { fields, byNumber: new Map(fields.map((field) => [field.number, field])) });
    }
  }

  message(name) {
    const message = this.messages.get(name);
    if (!message) throw new Error(`no such message: ${name}`);
    return message;
  }

  /** Bytes of a plain object; fields that are absent, and those with their default, are left out. */
  encode(name, object) {
    const writer = new Writer();
    const { fields } = this.message(name);
    for (const key of Object.keys(object)) {
      if (!fields.some((field) => field.name === key)) throw new Error(`${name} has no field ${key}`);
    }
    for (const field of fields) {
      const value = object[field.name];
      if (value === undefined || value === null) continue;
      if (field.shape === "many") this.many(writer, field, value);
      else if (field.shape === "map") {
        for (const [key, entry] of Object.entries(value)) this.one(writer, field, { key, value: entry });
      } else if (field.shape !== "one" || field.kind === "message" || !isDefault(field.kind, value)) {
        this.one(writer, field, value);
      }
    }
    return writer.whole();
  }

  many(writer, field, values) {
    if (["int", "uint", "bool", "enum"].includes(field.kind)) {
      if (!values.length) return;
      const packed = new Writer();
      for (const value of values) packed.varint(this.number(field, value));
      writer.tag(field.number, BYTES);
      writer.sized(packed.whole());
    } else for (const value of values) this.one(writer, field, value);
  }

  one(writer, field, value) {
    if (["string", "bytes", "message"].includes(field.kind)) {
      writer.tag(field.number, BYTES);
      if (field.kind === "string") writer.sized(utf8.encode(value));
      else writer.sized(field.kind === "bytes" ? value : this.encode(field.type, value));
    } else {
      writer.tag(field.number, VARINT);
      writer.varint(this.number(field, value));
    }
  }

  number(field, value) {
    if (field.kind === "bool") return value ? 1 : 0;
    if (field.kind !== "enum" || typeof value === "number") return value;
    const found = Object.entries(this.enums[field.type]).find(([, name]) => name === value);
    if (!found) throw new Error(`${field.type} has no ${value}`);
    return Number(found[0]);
  }

  /** A plain object with every field of the message; an absent message is null, of a oneof only the set field is not null. */
  decode(name, bytes, depth = 0) {
    if (depth > DEPTH_MAX) throw new RangeError("messages are nested too deep");
    const { fields, byNumber } = this.message(name);
    const object = {};
    for (const field of fields) object[field.name] = emptyOf(field, this.enums);
    const reader = new Reader(bytes);
    while (!reader.done) {
      const tag = reader.uint();
      const field = byNumber.get(Math.floor(tag / 8));
      const wire = tag % 8;
      if (!field || !fits(field, wire)) {
        reader.skip(wire);
        continue;
      }
      if (field.shape === "many" && wire === BYTES && wireOf(field.kind) === VARINT) {
        const packed = new Reader(reader.slice());
        while (!packed.done) object[field.name].push(this.read(packed, field, depth));
      } else if (field.shape === "many") object[field.name].push(this.read(reader, field, depth));
      else if (field.shape === "map") {
        const entry = this.read(reader, field, depth);
        object[field.name][entry.key] = entry.value;
      } else {
        if (field.shape.startsWith("oneof:")) {
          for (const other of fields) if (other.shape === field.shape) object[other.name] = null;
        }
        object[field.name] = this.read(reader, field, depth);
      }
    }
    return object;
  }

  read(reader, field, depth) {
    switch (field.kind) {
      case "int":
        return reader.int();
      case "uint":
        return reader.uint();
      case "bool":
        return reader.uint() !== 0;
      case "enum": {
        const value = reader.int();
        return this.enums[field.type][value] ?? value;
      }
      case "string":
        return text.decode(reader.slice());
      case "bytes":
        return reader.slice().slice();
      default:
        return this.decode(field.type, reader.slice(), depth + 1);
    }
  }
}

const wireOf = (kind) => (["string", "bytes", "message"].includes(kind) ? BYTES : VARINT);

function fits(field, wire) {
  return wire === wireOf(field.kind) || (wire === BYTES && field.shape === "many");
}

function isDefault(kind, value) {
  if (kind === "string" || kind === "bytes") return value.length === 0;
  return value === 0 || value === false;
}

function emptyOf(field, enums) {
  if (field.shape === "many") return [];
  if (field.shape === "map") return {};
  if (field.kind === "message" || field.shape.startsWith("oneof:")) return null;
  return { int: 0, uint: 0, bool: false, string: "", bytes: new Uint8Array(0) }[field.kind] ?? enums[field.type][0];
}
