import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

/** On a busy machine an element appears late; only a failure takes so long. */
configure({ asyncUtilTimeout: 5_000 });

/**
 * No page of a test calls the network. A call that no test answers fails at once, as without a network: one on its way when its file ends would keep the
 * document from closing, and the page's next attempt after it, for ever.
 */
if ("window" in globalThis)
  globalThis.fetch = (input) => Promise.reject(new TypeError(`no test answers ${input instanceof Request ? input.url : String(input)}`));

afterEach(cleanup);
