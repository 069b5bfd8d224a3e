// Ids that this client chooses: for commands and requests, so that a repeat is known as one.

/** 32 hexadecimal digits of chance. */
export function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
