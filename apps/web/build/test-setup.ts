import { cleanup, configure, prettyDOM } from "@testing-library/react";
import { afterEach } from "vitest";

/** As much of the page as one reads; `DEBUG_PRINT_LIMIT=20000` shows more of it. */
const SHOWN_CHARACTERS = Number(process.env["DEBUG_PRINT_LIMIT"] ?? 1_500);

/** Says what was not found, and the beginning of the page; the error's place is the test's line. */
function notFound(message: string | null, container: Element): Error {
  const page = prettyDOM(container, SHOWN_CHARACTERS, { highlight: false });
  const error = new Error(`${message ?? ""}\n\n${page}`.slice(0, SHOWN_CHARACTERS));
  error.name = "TestingLibraryElementError";
  Error.captureStackTrace(error, notFound);
  return error;
}

/** On a busy machine an element appears late; only a failure takes so long. */
configure({ asyncUtilTimeout: 5_000, getElementError: notFound });

/**
 * No page of a test calls the network. A call that no test answers fails at once, as without a network: one on its way when its file ends would keep the
 * document from closing, and the page's next attempt after it, for ever.
 */
if ("window" in globalThis)
  globalThis.fetch = (input) =>
    Promise.reject(
      new TypeError(`no test answers ${input instanceof Request ? input.url : String(input)}`),
    );

afterEach(cleanup);
