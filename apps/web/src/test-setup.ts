import { cleanup, configure, prettyDOM } from "@testing-library/react";
import { afterEach } from "vitest";

/** `DEBUG_PRINT_LIMIT=20000` shows more of the page. */
const SHOWN_CHARACTERS = Number(process.env["DEBUG_PRINT_LIMIT"] ?? 1_500);

function notFound(message: string | null, container: Element): Error {
  const page = prettyDOM(container, SHOWN_CHARACTERS, { highlight: false });
  const error = new Error(`${message ?? ""}\n\n${page}`.slice(0, SHOWN_CHARACTERS));
  error.name = "TestingLibraryElementError";
  Error.captureStackTrace(error, notFound);
  return error;
}

/** A busy machine renders late, so queries wait longer. */
configure({ asyncUtilTimeout: 5_000, getElementError: notFound });

/** A call still pending when its file ends would block the document's closing. */
if ("window" in globalThis) {
  globalThis.fetch = (input) =>
    Promise.reject(
      new TypeError(`no test answers ${input instanceof Request ? input.url : String(input)}`),
    );
  findLabelsAtOnce();
}

afterEach(cleanup);

/** DOM types are not loaded beside Node's. */
type Control = {
  readonly id: string;
  getRootNode(): { querySelectorAll(selector: "label"): Iterable<{ readonly htmlFor: string }> };
  closest(selector: "label"): object | null;
};

/** happy-dom searches the document for each control's labels, an eighth of the CPU. */
function findLabelsAtOnce(): void {
  const labels = {
    get(this: Control): readonly object[] {
      const named = this.id
        ? [...this.getRootNode().querySelectorAll("label")].filter(
            ({ htmlFor }) => htmlFor === this.id,
          )
        : [];
      const around = this.closest("label");
      return around === null ? named : [...named, around];
    },
  };
  const types = globalThis as unknown as Record<string, { readonly prototype: object }>;
  for (const name of ["Input", "Select", "TextArea", "Button"])
    Object.defineProperty(types[`HTML${name}Element`]?.prototype, "labels", labels);
}
