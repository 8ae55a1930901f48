import { cleanup, configure, prettyDOM } from "@testing-library/react";
import { afterEach } from "vitest";

/** `DEBUG_PRINT_LIMIT=20000` shows more of the page. */
const SHOWN_CHARACTERS = Number(process.env["DEBUG_PRINT_LIMIT"] ?? 1_500);

/** Shows what was not found and the beginning of the page, at the test's line. */
function notFound(message: string | null, container: Element): Error {
  const page = prettyDOM(container, SHOWN_CHARACTERS, { highlight: false });
  const error = new Error(`${message ?? ""}\n\n${page}`.slice(0, SHOWN_CHARACTERS));
  error.name = "TestingLibraryElementError";
  Error.captureStackTrace(error, notFound);
  return error;
}

/** On a busy machine an element appears late. */
configure({ asyncUtilTimeout: 5_000, getElementError: notFound });

/**
 * A call that no test answers fails at once, as without a network: one under way at the end of its
 * file would keep the document from closing.
 */
if ("window" in globalThis)
  globalThis.fetch = (input) =>
    Promise.reject(
      new TypeError(`no test answers ${input instanceof Request ? input.url : String(input)}`),
    );

afterEach(cleanup);
