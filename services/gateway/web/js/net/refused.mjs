// What can go wrong with a call, as errors that can be shown.

/** The service said no, with a stable reason and words for people. */
export class Refused extends Error {
  constructor({ reason = "", message_zh = "", message_en = "", code = 0, details = {} }) {
    super(reason);
    this.reason = reason;
    this.code = code;
    this.details = details;
    this.words = { zh: message_zh, en: message_en };
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor(message = "unreachable") {
    super(message);
    this.reason = "UNREACHABLE";
  }
}

/** Whether the world failed, not the request: the same may work in a moment. */
export const isOutage = (error) => error instanceof Unreachable || error?.reason === "SERVICE_UNAVAILABLE";

/** The words for an error in a language; `fallback` for one that has none. */
export function wordsOf(error, language, fallback) {
  const words = error?.words?.[language === "en" ? "en" : "zh"];
  return words || (error?.reason ? `${fallback} (${error.reason})` : fallback);
}
