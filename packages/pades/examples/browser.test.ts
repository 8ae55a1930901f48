import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Folder, missingTool, run, temporaryFolder } from "../interop/tool.ts";
import { findBrowser } from "../testing/find-browser.ts";
import { readDemoFonts } from "./demo.ts";
import type { BrowserAnswer } from "./in-browser.ts";

const BROWSER = findBrowser();
const missing =
  missingTool("pdfsig") || (existsSync(BROWSER) ? false : "chromium is not installed");
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PAGE = `<!doctype html><script type="importmap">{"imports":{"@paraphe/pades":"/pades.js"}}</script>
<script type="module">import { archiveInBrowser } from "/in-browser.ts"; globalThis.answer = archiveInBrowser({ text: "/text.ttf", hand: "/hand.ttf" });</script>`;
const PATIENCE_MS = 60_000;

/** Serves the bundle, the fonts, and the examples as they are, their types left out. */
async function serve(bundle: string): Promise<Server> {
  const fonts = await readDemoFonts();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const send = (type: string, body: string | Uint8Array): void =>
      void response.writeHead(200, { "content-type": type }).end(body);
    if (path === "/") send("text/html", PAGE);
    else if (path === "/pades.js") send("text/javascript", readFileSync(bundle));
    else if (path === "/text.ttf") send("font/ttf", fonts.text[0] ?? new Uint8Array());
    else if (path === "/hand.ttf") send("font/ttf", fonts.hands.caveat);
    else if (/^\/[a-z-]+\.ts$/.test(path))
      send("text/javascript", stripTypeScriptTypes(readFileSync(here(`.${path}`), "utf8")));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

describe.skipIf(missing)(`the browser bundle${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let server: Server;
  let browser: Browser;
  let page: Page;
  let said: string;
  const complaints: string[] = [];
  beforeAll(async () => {
    folder = temporaryFolder();
    const bundle = `${folder.path}/pades.js`;
    said = (await promisify(execFile)(process.execPath, [here("../bundle.ts"), bundle])).stdout;
    server = await serve(bundle);
    browser = await chromium.launch({
      executablePath: BROWSER,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-sync",
      ],
    });
    page = await browser.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    server?.close();
    folder.remove();
  });

  test("the bundle is one file, whose size is printed", () => {
    const [, size, compressed] = /: (\d+) kB, (\d+) kB compressed/.exec(said) ?? [];
    expect(Number(size)).toBeLessThan(1_250);
    expect(Number(compressed)).toBeLessThan(340);
  });

  test(
    "the bundle signs, archives and validates in Chromium with WebCrypto keys, and pdfsig and qpdf accept the result",
    async () => {
      const { bytes, verdicts, alteredVerdicts } = await page.evaluate<BrowserAnswer>("answer");
      expect(verdicts).toEqual([
        ["TOTAL_PASSED", "B-LTA"],
        ["TOTAL_PASSED", "B-LTA"],
        ["TOTAL_PASSED", null],
      ]);
      expect(alteredVerdicts).toEqual(["TOTAL_FAILED", "TOTAL_FAILED", "TOTAL_FAILED"]);
      const file = folder.write("browser.pdf", Uint8Array.from(bytes));
      expect(run("pdfsig", ["-nocert", file]).output.match(/Signature is Valid\./g)).toHaveLength(
        2,
      );
      expect(run("qpdf", ["--check", file]).code).toBe(0);
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});
