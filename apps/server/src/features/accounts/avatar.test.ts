import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { makePng, PNG_1X1, SVG } from "../../../testing/images.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { readImageSize } from "../../platform/images/read-image-size.ts";

let service: TestApp;
let member: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(service.platform);
  browser = await signIn(service, member);
});
afterAll(() => service.close());

const ME = "/api/signature/me";
const patch = (body: unknown) => browser.send("PATCH", `${ME}/`, { body });
const patchForm = (form: ReturnType<typeof multipart>) => browser.send("PATCH", `${ME}/`, form);
const avatarForm = (bytes: Uint8Array, fields = {}) => multipart(fields, [{ field: "avatar", name: "moi.png", type: "image/png", bytes }]);

describe("the avatar", () => {
  test("is decoded, made smaller, written anew as WebP, and served to its owner", async () => {
    const answer = await patchForm(avatarForm(makePng(1_000, 500), { first_name: "Camille", address: "" }));
    expect(answer.status).toBe(200);
    const image = await browser.get(answer.body.user.avatar);
    expect(image.headers).toMatchObject({
      "content-type": "image/webp",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400",
    });
    expect(readImageSize(image.bytes)).toMatchObject({ format: "webp", width: 512, height: 256 });
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(answer.body.user.avatar)).status).toBe(404);
  });

  test("keeps nothing of the file but its picture", async () => {
    const tail = new TextEncoder().encode("PK\u0003\u0004 un second fichier caché GPS 48.1173");
    const answer = await patchForm(avatarForm(new Uint8Array([...makePng(20, 20), ...tail])));
    const image = await browser.get(answer.body.user.avatar);
    expect(Buffer.from(image.bytes).includes("second fichier")).toBe(false);
  });

  test("gets a new address with a new picture", async () => {
    const first = await patchForm(avatarForm(makePng(30, 30)));
    const second = await patchForm(avatarForm(makePng(31, 30)));
    expect(second.body.user.avatar).not.toBe(first.body.user.avatar);
    expect((await browser.get(second.body.user.avatar)).status).toBe(200);
  });

  test("that somebody else is storing too stays when its owner removes it", async () => {
    const { files, db } = service.platform;
    await patchForm(avatarForm(makePng(19, 19)));
    const row = await db.selectFrom("users").select("avatar_sha256").where("id", "=", member.id).executeTakeFirstOrThrow();
    const sha256 = row.avatar_sha256 ?? new Uint8Array();
    // Another's form, between its file and its row.
    await files.put(await files.get(sha256));
    await patch({ avatar: null });
    expect(await files.size(sha256)).toBeGreaterThan(0);
  });

  test("that two people share stays when one of them removes it", async () => {
    const other = await signIn(service, await createMember(service.platform));
    for (const who of [browser, other]) await who.send("PATCH", `${ME}/`, avatarForm(makePng(17, 17)));
    await patch({ avatar: null });
    expect((await other.get(`${ME}/avatar/`)).status).toBe(200);
  });

  test("whose file is gone is 404, not an outage", async () => {
    await patchForm(avatarForm(makePng(23, 23)));
    const { avatar_sha256 } = await service.platform.db
      .selectFrom("users")
      .select("avatar_sha256")
      .where("id", "=", member.id)
      .executeTakeFirstOrThrow();
    await service.platform.files.remove(avatar_sha256 ?? new Uint8Array());
    expect((await browser.get(`${ME}/avatar/`)).status).toBe(404);
  });

  test("null, or an empty field of a form, removes it", async () => {
    await patchForm(avatarForm(PNG_1X1));
    expect((await patch({ avatar: null })).body.user.avatar).toBeNull();
    await patchForm(avatarForm(PNG_1X1));
    expect((await patchForm(multipart({ avatar: "" }))).body.user.avatar).toBeNull();
    expect((await browser.get(`${ME}/avatar/`)).status).toBe(404);
  });

  test.each([
    ["a program in SVG", SVG],
    ["a PNG of no width", makePng(1, 1, { width: 0, height: 1 })],
    ["a PNG cut short", makePng(64, 64).slice(0, 60)],
    ["a PDF", new TextEncoder().encode(`%PDF-1.7${" ".repeat(64)}`)],
  ])("refuses %s", async (_what, bytes) => {
    const answer = await patchForm(avatarForm(bytes));
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_image"]);
    expect(answer.body.errors).toEqual({ avatar: [answer.body.detail] });
  });

  test("refuses a photograph of too many pixels for that reason", async () => {
    const answer = await patchForm(avatarForm(makePng(1, 1, { width: 60_000, height: 60_000 })));
    expect([answer.status, answer.body.code]).toEqual([400, "image_too_large"]);
    expect(answer.body.detail).toBe("Image trop grande\u00a0: 12,5\u00a0mégapixels au plus. Réduisez-la, puis réessayez.");
    expect(answer.body.errors).toEqual({ avatar: [answer.body.detail] });
  });

  test("over 10 MB is refused", async () => {
    const answer = await patchForm(avatarForm(new Uint8Array(10_485_761)));
    expect([answer.status, answer.body.code]).toEqual([413, "file_too_large"]);
    expect(answer.body.errors).toEqual({ avatar: ["L’image est trop lourde\u00a0: 10\u00a0Mo au maximum."] });
  });

  test("under another name is refused, and so are two", async () => {
    const file = { field: "photo", name: "moi.png", type: "image/png", bytes: PNG_1X1 };
    expect((await patchForm(multipart({}, [file]))).body.errors).toEqual({ photo: ["Champ inconnu"] });
    const avatar = { ...file, field: "avatar" };
    expect((await patchForm(multipart({}, [avatar, avatar]))).status).toBe(413);
  });
});
