import { CSRF_COOKIE, MAX_FILE_SIZE_BYTES } from "@paraphe/contracts";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpStage, openHttpStage } from "../../../testing/http-stage.ts";

let stage: HttpStage;
let app: HttpStage["app"];
let post: HttpStage["post"];

beforeAll(async () => {
  stage = await openHttpStage();
  ({ app, post } = stage);
});
afterAll(() => stage.close());

describe("multipart bodies", () => {
  const form = (parts: readonly { name: string; filename?: string; value: string | Uint8Array }[]) => {
    const chunks = parts.flatMap(({ name, filename, value }) => [
      Buffer.from(
        `--limite\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n`,
      ),
      Buffer.from(filename === undefined ? "\r\n" : "Content-Type: application/pdf\r\n\r\n"),
      Buffer.from(value as Uint8Array),
      Buffer.from("\r\n"),
    ]);
    return {
      payload: Buffer.concat([...chunks, Buffer.from("--limite--\r\n")]),
      headers: { "content-type": "multipart/form-data; boundary=limite" },
    };
  };
  const file = (size: number, name = "files") => ({ name, filename: "é à.pdf", value: new Uint8Array(size) });

  test("are read whole, a file of exactly 10 485 760 bytes included", async () => {
    const answer = await post("/api/files/", form([{ name: "title", value: "Bail d’été" }, file(MAX_FILE_SIZE_BYTES), file(0)]));
    expect(answer.json()).toMatchObject({
      fields: { title: "Bail d’été" },
      files: [
        { field: "files", name: "é à.pdf", size: MAX_FILE_SIZE_BYTES },
        { field: "files", name: "é à.pdf", size: 0 },
      ],
    });
  });

  test.each([
    ["one byte more", [file(MAX_FILE_SIZE_BYTES + 1)], 413, "file_too_large"],
    ["a file too large before others", [file(MAX_FILE_SIZE_BYTES + 1), file(10), { name: "title", value: "x" }], 413, "file_too_large"],
    ["more than 50 MB in all", Array.from({ length: 6 }, () => file(9 * 1024 * 1024)), 413, "envelope_too_large"],
    ["21 files", Array.from({ length: 21 }, () => file(10)), 413, "envelope_too_large"],
    ["an over-long field", [{ name: "title", value: "x".repeat(256 * 1024 + 1) }], 400, "malformed_request"],
    ["21 fields", Array.from({ length: 21 }, (_, index) => ({ name: `f${index}`, value: "x" })), 400, "malformed_request"],
    [
      "a field twice",
      [
        { name: "title", value: "a" },
        { name: "title", value: "b" },
      ],
      400,
      "malformed_request",
    ],
    ["a field named __proto__", [{ name: "__proto__", value: "a" }], 400, "malformed_request"],
    ["an over-long field name", [{ name: "n".repeat(200), value: "a" }], 400, "malformed_request"],
  ])("are refused with %s", async (_what, parts, status, code) => {
    const answer = await post("/api/files/", form(parts));
    expect(answer.json()).toMatchObject({ status, code });
  });

  test("accept a field of exactly 256 kB, and 20 of them", async () => {
    const fields = Array.from({ length: 20 }, (_, index) => ({ name: `f${index}`, value: "x".repeat(index === 0 ? 256 * 1024 : 1) }));
    expect((await post("/api/files/", form(fields))).statusCode).toBe(200);
  });

  test.each([
    ["no boundary", "multipart/form-data", "--limite\r\n\r\n--limite--"],
    [
      "no end",
      "multipart/form-data; boundary=limite",
      '--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nabc',
    ],
    ["an end in the middle of a part's head", "multipart/form-data; boundary=limite", "--limite\r\nContent-Dispo"],
    ["rubbish", "multipart/form-data; boundary=limite", "n’importe quoi"],
  ])("with %s are 400 at once", async (_what, type, payload) => {
    const started = performance.now();
    const answer = await post("/api/files/", { payload, headers: { "content-type": type } });
    expect(answer.json()).toMatchObject({ status: 400, code: "malformed_request" });
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test("that stop coming half-way are 400 within 5 s, and the connection is let go", async () => {
    const address = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    const socket = connect(Number(address.port), address.hostname);
    let said = "";
    socket.on("data", (chunk) => (said += chunk));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const head = `POST /api/files/ HTTP/1.1\r\nhost: x\r\ncookie: ${CSRF_COOKIE}=jeton\r\nx-csrftoken: jeton\r\ncontent-length: 5000\r\n`;
    socket.write(
      `${head}content-type: multipart/form-data; boundary=limite\r\n\r\n--limite\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nabc`,
    );
    const started = performance.now();
    await closed;
    expect(said).toContain("400 Bad Request");
    expect(said).toContain("malformed_request");
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  test("a JSON body where a form is expected is 415", async () => {
    expect((await post("/api/files/", { payload: { a: 1 } })).json().code).toBe("unsupported_media_type");
  });
});
