// Calls over HTTP: those before sign-in, and every call while the connection is down.
import { decode, encode, method } from "./wire.mjs";
import { Refused, Unreachable } from "./refused.mjs";

const CALL_WAIT_MS = 15_000;

/** Call `"accounts/CreateChallenge"`; throws Refused or Unreachable. */
export async function callHttp(short, request, token = "") {
  const { path, request: requestType, response: responseType } = method(short);
  const headers = { "Content-Type": "application/x-protobuf" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let body;
  let status;
  try {
    const response = await fetch(`/call/${path}`, {
      method: "POST",
      headers,
      body: encode(requestType, request),
      signal: AbortSignal.timeout(CALL_WAIT_MS),
      cache: "no-store",
    });
    status = response.status;
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new Unreachable(error.message);
  }
  return resultOf(body, responseType, status);
}

/** The response in a serialised CallResult. */
export function resultOf(body, responseType, status = 200) {
  let result;
  try {
    result = typeof body.error === "undefined" ? decode("gateway.v1.CallResult", body) : body;
  } catch {
    throw new Unreachable(`status ${status}`);
  }
  if (result.error) throw new Refused(result.error);
  if (status >= 400) throw new Unreachable(`status ${status}`);
  return decode(responseType, result.payload);
}
