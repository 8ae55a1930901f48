import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

// There is no service: what a test does not answer itself fails at once, rather than after a question to the network's names.
globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));

afterEach(cleanup);
