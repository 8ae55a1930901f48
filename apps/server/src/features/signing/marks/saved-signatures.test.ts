import { Transformer } from "@napi-rs/image";
import { type NewMark, signatureMarkSchema } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { expectRefusal, expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import {
  type Answer,
  multipart,
  openBrowser,
  refusal,
  type TestBrowser,
} from "../../../../testing/browser.ts";
import { createSent, ENVELOPES } from "../../../../testing/envelope.ts";
import { makePng, SVG } from "../../../../testing/images.ts";
import { createMember, type Member, signIn, openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { createImageSandbox } from "../../../platform/images/create-image-sandbox.ts";
import { strokesSvg, textSvg } from "./domain/saved-signature.ts";
import { readNewMark } from "./saved-signatures.ts";

it("strokes are drawn as wide as the pressure, cropped to the ink", () => {
  const svg = strokesSvg([
    [
      [0, 0, 0],
      [1, 0.5, 1],
      [1, 1, 1],
    ],
  ]);
  expect(svg).toContain('viewBox="-0.034 -0.034 1.068 1.068"');
  expect([...svg.matchAll(/stroke-width="([\d.]+)"/g)].map(([, width]) => width)).toEqual([
    "0.022",
    "0.034",
  ]);
});

it("a one-point stroke is drawn as a dot", () => {
  expect(strokesSvg([[[0.5, 0.5, 0.5]], [[0, 0, 1]]]).match(/<path /g)).toHaveLength(2);
});

it("a typed mark cannot be markup", () => {
  const svg = textSvg({ text: `"><script>'&`, hand: "caveat" });
  expect(svg).toContain("&#34;&#62;&#60;script&#62;&#39;&#38;");
  expect(svg).toContain("font-family=\"'Caveat', cursive\"");
});

describe("a new mark", () => {
  const images = createImageSandbox();
  afterAll(() => images.close());

  const dataUrl = (bytes: Uint8Array, type = "image/png") =>
    `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
  const parsed = (mark: unknown) => z.parse(signatureMarkSchema, mark) as NewMark;
  const read = (mark: unknown) => readNewMark(images, parsed(mark));
  const refusal = async (mark: unknown) => {
    const result = await read(mark);
    return result.ok ? null : [result.error.code, result.error.errors?.["signature"]?.[0]];
  };

  it("a drawn mark keeps its strokes and pressure", async () => {
    const strokes = [
      [
        [0, 0, 0.5],
        [0.4, 0.2, 1],
      ],
    ];
    expect(await read({ kind: "drawn", strokes })).toEqual({
      ok: true,
      value: { kind: "strokes", strokes },
    });
  });

  it("a drawn mark without a line is refused", async () => {
    expect(await refusal({ kind: "drawn", strokes: [[[0.5, 0.5, 1]]] })).toEqual([
      "validation",
      "Dessinez votre signature",
    ]);
    expect(
      await refusal({
        kind: "drawn",
        strokes: [
          [
            [0.5, 0.5, 1],
            [0.5, 0.5, 0.2],
          ],
          [[0.5, 0.5, 1]],
        ],
      }),
    ).toEqual(["validation", "Dessinez votre signature"]);
    expect(z.safeParse(signatureMarkSchema, { kind: "drawn" }).success).toBe(false);
  });

  it("a drawn mark with too many points is refused", async () => {
    const stroke = Array.from({ length: 5_000 }, (_, index) => [index / 5_000, 0, 1]);
    expect(
      (await refusal({ kind: "drawn", strokes: Array.from({ length: 5 }, () => stroke) }))?.[0],
    ).toBe("validation");
  });

  it("a typed mark keeps its text, composed, and its hand", async () => {
    expect(await read({ kind: "typed", text: " Zoe\u0308 Œuvrard ", font: "caveat" })).toEqual({
      ok: true,
      value: { kind: "typed", text: "Zoë Œuvrard", hand: "caveat" },
    });
  });

  it.each([
    ["\u200b\u200d", "Au moins une lettre ou un chiffre"],
    ["\u00ad", "Saisissez votre nom"],
    [" – ", "Au moins une lettre ou un chiffre"],
  ])("a typed mark that shows nothing is refused: %j", (text, sentence) => {
    const { error } = z.safeParse(signatureMarkSchema, { kind: "typed", text, font: "caveat" });
    expect(error?.issues.map(({ message }) => message)).toEqual([sentence]);
  });

  it.each(["png", "jpeg", "webp"] as const)(
    "an uploaded %s is identified by content, and re-encoded as a PNG of 1 200 pixels at most",
    async (format) => {
      const image = new Transformer(makePng(3_000, 1_000));
      const bytes = new Uint8Array(await image[format]());
      const result = await read({ kind: "uploaded", image: dataUrl(bytes) });
      const kept =
        result.ok && result.value.kind === "image"
          ? Buffer.from(result.value.png_base64, "base64")
          : Buffer.alloc(0);
      expect([
        kept.subarray(1, 4).toString(),
        kept.readUInt32BE(16),
        kept.readUInt32BE(20),
      ]).toEqual(["PNG", 1_200, 400]);
    },
  );

  it.each<[string, Uint8Array]>([
    ["an SVG that says it is a PNG", SVG],
    ["noise", new Uint8Array(500).fill(7)],
    ["a cut image", makePng(300, 300).slice(0, 60)],
  ])("an uploaded mark is refused: %s", async (_, bytes) => {
    expect((await refusal({ kind: "uploaded", image: dataUrl(bytes) }))?.[0]).toBe("invalid_image");
  });

  it("an image over 2 MB is refused in its own words", async () => {
    expect(
      (
        await refusal({ kind: "uploaded", image: dataUrl(new Uint8Array(2 * 1024 * 1024 + 1)) })
      )?.[0],
    ).toBe("image_file_too_large");
  });

  it("an image that claims 3 600 megapixels is refused, with the reason", async () => {
    const huge = makePng(8, 8, { width: 60_000, height: 60_000 });
    expect((await refusal({ kind: "uploaded", image: dataUrl(huge) }))?.[0]).toBe(
      "image_too_large",
    );
  });
});

describe("saved signatures", () => {
  const SAVED = "/api/signature/saved-signatures/";
  const STROKES = [
    [
      [0.1, 0.2, 0.4],
      [0.5, 0.8, 0.9],
      [1.2, 0.3, 0.5],
    ],
  ];
  const DRAWN = { name: "Pour les baux", kind: "drawn", strokes: STROKES };
  const TYPED_ONE = {
    name: "Lisible",
    kind: "typed",
    text: "Zoé Lefèvre",
    font: "la-belle-aurore",
  };

  let service: TestApp;
  let member: Member;
  let owner: TestBrowser;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    member = await createMember(service.platform, { firstName: "Zoé", lastName: "Lefèvre" });
    owner = await signIn(service, member);
  });

  const save = (body: object) => owner.post(SAVED, body);
  const list = async (): Promise<
    readonly { id: string; name: string; is_default: boolean; last_used_at: string | null }[]
  > => (await owner.get(SAVED)).body.results;
  const upload = (
    bytes: Uint8Array,
    fields: Readonly<Record<string, string>> = { name: "Scan" },
  ) => {
    const { body, headers } = multipart(fields, [
      { field: "image", name: "moi.png", type: "image/png", bytes },
    ]);
    return owner.send("POST", SAVED, { body, headers });
  };

  it("a saved drawing is shown as a script-free SVG, and its strokes never sent", async () => {
    const answer = await save(DRAWN);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: "Pour les baux",
        kind: "drawn",
        image: `${SAVED}${answer.body.id}/image/`,
        is_default: true,
        created_at: expect.any(String),
        last_used_at: null,
        text: null,
        font: null,
      },
    ]);
    const picture = await owner.get(answer.body.image);
    expect([picture.status, picture.headers["content-type"]]).toEqual([200, "image/svg+xml"]);
    expect(picture.text.match(/<path /g)).toHaveLength(2);
    expect(picture.headers["content-security-policy"]).toMatch(/default-src 'none'.*sandbox/);
    const row = await service.platform.db
      .selectFrom("saved_signatures")
      .selectAll()
      .where("id", "=", answer.body.id)
      .executeTakeFirstOrThrow();
    expect(Buffer.from(row.mark_wrapped).toString("latin1")).not.toContain("strokes");
  });

  it.each(["caveat", "la-belle-aurore", "playwrite-fr-moderne", "herr-von-muellerhoff"])(
    "a name typed in %s is saved",
    async (font) => {
      const answer = await save({ ...TYPED_ONE, font, text: "Zoé <Lefèvre> & fils" });
      expect([answer.status, answer.body.text, answer.body.font]).toEqual([
        201,
        "Zoé <Lefèvre> & fils",
        font,
      ]);
      expect((await owner.get(answer.body.image)).text).toContain(
        "Zoé &#60;Lefèvre&#62; &#38; fils",
      );
    },
  );

  it("an image is saved by form as PNG, and by JSON", async () => {
    const answer = await upload(makePng(40, 20));
    expect([answer.status, answer.body.kind, answer.body.name]).toEqual([201, "uploaded", "Scan"]);
    const picture = await owner.get(answer.body.image);
    expect([
      picture.headers["content-type"],
      Buffer.from(picture.bytes).subarray(1, 4).toString(),
    ]).toEqual(["image/png", "PNG"]);
    const image = `data:image/png;base64,${Buffer.from(makePng(40, 20)).toString("base64")}`;
    const json = await save({ kind: "uploaded", image });
    expect([json.status, json.body.name]).toEqual([201, "Signature"]);
  });

  it("a drawing is saved by form too", async () => {
    const { body, headers } = multipart({
      kind: "drawn",
      strokes: JSON.stringify(STROKES),
      is_default: "true",
    });
    const answer = await owner.send("POST", SAVED, { body, headers });
    expect([answer.status, answer.body.kind, answer.body.is_default]).toEqual([201, "drawn", true]);
  });

  it.each<[string, () => Promise<Answer>, readonly [number, string]]>([
    [
      "a drawing of one point",
      () => save({ kind: "drawn", strokes: [[[0.5, 0.5, 1]]] }),
      [400, "validation"],
    ],
    ["a drawing of nothing", () => save({ kind: "drawn" }), [400, "validation"]],
    ["an empty name to sign", () => save({ ...TYPED_ONE, text: " " }), [400, "validation"]],
    ["an unknown hand", () => save({ ...TYPED_ONE, font: "comic" }), [400, "validation"]],
    [
      "letters that no hand has",
      () => save({ ...TYPED_ONE, text: "署名" }),
      [400, "unsupported_character"],
    ],
    ["an empty label", () => save({ ...TYPED_ONE, name: " " }), [400, "validation"]],
    ["an id of its own", () => save({ ...TYPED_ONE, id: "x" }), [400, "validation"]],
    ["an SVG", () => upload(SVG), [400, "invalid_image"]],
    ["noise", () => upload(new Uint8Array(500).fill(7)), [400, "invalid_image"]],
    [
      "3 600 megapixels",
      () => upload(makePng(8, 8, { width: 60_000, height: 60_000 })),
      [400, "image_too_large"],
    ],
    [
      "more than 2 MB",
      () => upload(new Uint8Array(2 * 1024 * 1024 + 1)),
      [413, "image_file_too_large"],
    ],
    [
      "strokes that are no JSON",
      () => upload(makePng(40, 20), { kind: "drawn", strokes: "oui" }),
      [400, "validation"],
    ],
    [
      "a form without an image",
      () => owner.send("POST", SAVED, multipart({ name: "Rien" })),
      [400, "validation"],
    ],
  ])("a signature is refused: %s", async (_what, ask, expected) => {
    expect(refusal(await ask())).toEqual(expected);
    expect(await list()).toEqual([]);
  });

  it("a transparent background is made on request, and a blank sheet refused", async () => {
    const paper = new Uint8Array(4 * 80 * 40).fill(250);
    for (let pixel = 20 * 80 + 30; pixel < 20 * 80 + 50; pixel++)
      paper.fill(20, 4 * pixel, 4 * pixel + 3);
    const sheet = async (pixels: Uint8Array) =>
      new Uint8Array(await Transformer.fromRgbaPixels(pixels, 80, 40).png());
    const cleaned = await upload(await sheet(paper), { remove_background: "true" });
    const { width, height } = await new Transformer(
      (await owner.get(cleaned.body.image)).bytes,
    ).metadata();
    expect([cleaned.status, width, height]).toEqual([201, 32, 13]);
    const blank = await upload(await sheet(new Uint8Array(4 * 80 * 40).fill(250)), {
      remove_background: "true",
    });
    await expectRefusal(blank, 400, "invalid_image");
  });

  it("twenty signatures are saved at most, even at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 22 }, (_, index) => save({ ...TYPED_ONE, name: `N° ${index}` })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(refusal)).toEqual([
      [409, "too_many_saved_signatures"],
      [409, "too_many_saved_signatures"],
    ]);
    expect(refused[0]?.body.detail).toBe(
      "Vous avez déjà 20 signatures, le maximum. Supprimez-en une, puis réessayez.",
    );
    expect((await list()).filter((one) => one.is_default)).toHaveLength(1);
  });

  it("two hundred signatures an hour are saved at most", async () => {
    const limited = await createTestApp();
    const browser = await openMember(limited);
    await limited.platform.db
      .insertInto("throttles")
      .values({
        key: `saved-signature ${await userId(limited)}`,
        window_start: new Date("2026-11-21T10:00:00Z"),
        hits: 200,
      })
      .execute();
    const answer = await browser.post(SAVED, TYPED_ONE);
    expect([answer.status, answer.body.code, answer.headers["retry-after"] !== undefined]).toEqual([
      429,
      "too_many_requests",
      true,
    ]);
    await limited.close();
  });

  const userId = async ({ platform }: TestApp) =>
    (await platform.db.selectFrom("users").select("id").executeTakeFirstOrThrow()).id;

  it("the default is the first, then the chosen, then the newest left", async () => {
    const [a, b] = [await save(DRAWN), await save(TYPED_ONE)];
    service.platform.clock.advance({ seconds: 1 });
    const c = await save({ ...TYPED_ONE, name: "Troisième" });
    const defaults = async () =>
      (await list()).filter((one) => one.is_default).map((one) => one.id);
    expect(await defaults()).toEqual([a.body.id]);
    const chosen = await owner.send("PATCH", `${SAVED}${b.body.id}/`, {
      body: { is_default: true },
    });
    expect([chosen.status, chosen.body.is_default, await defaults()]).toEqual([
      200,
      true,
      [b.body.id],
    ]);
    expect((await list())[0]?.id).toBe(b.body.id);
    await expectStatus(owner.send("DELETE", `${SAVED}${b.body.id}/`), 204);
    expect(await defaults()).toEqual([c.body.id]);
  });

  it("a signature is renamed, and an empty name refused", async () => {
    const { body } = await save(DRAWN);
    const renamed = await owner.send("PATCH", `${SAVED}${body.id}/`, {
      body: { name: "  Paraphe  " },
    });
    expect([renamed.status, renamed.body.name]).toEqual([200, "Paraphe"]);
    await expectRefusal(
      owner.send("PATCH", `${SAVED}${body.id}/`, { body: { name: "" } }),
      400,
      "validation",
    );
    await expectRefusal(
      owner.send("PATCH", `${SAVED}${body.id}/`, { body: { kind: "typed" } }),
      400,
      "validation",
    );
  });

  it("a deleted signature is forgotten, and its key's answer", async () => {
    const { body } = await owner.post(SAVED, DRAWN, { headers: { "idempotency-key": "une" } });
    const kept = () =>
      service.platform.db
        .selectFrom("idempotency_keys")
        .select("key")
        .where("key", "=", "une")
        .execute();
    expect(await kept()).toHaveLength(1);
    await owner.send("DELETE", `${SAVED}${body.id}/`);
    await expectRefusal(owner.get(`${SAVED}${body.id}/image/`), 404, "not_found");
    await expectRefusal(owner.send("DELETE", `${SAVED}${body.id}/`), 404, "not_found");
    expect(await kept()).toEqual([]);
  });

  it("saved signatures need a session", async () => {
    await expectStatus(openBrowser(service.app).get(SAVED), 401);
  });

  it("another's signature answers as unknown to every call", async () => {
    const { body } = await save(DRAWN);
    const stranger = await openMember(service);
    expect((await stranger.get(SAVED)).body).toMatchObject({ count: 0, results: [] });
    const one = `${SAVED}${body.id}/`;
    const asked = [
      await stranger.get(`${one}image/`),
      await stranger.send("PATCH", one, { body: { name: "À moi" } }),
      await stranger.send("DELETE", one),
    ];
    expect(asked.map(refusal)).toEqual([
      [404, "not_found"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
    expect((await list()).map((item) => item.name)).toEqual(["Pour les baux"]);
  });

  const saved = (id: string) => ({ kind: "saved", saved_signature_id: id });

  it("a saved signature signs for a recipient, with consent, noted in the journal", async () => {
    const { body } = await save(DRAWN);
    const anne = await openMember(service);
    const sent = await createSent(anne, {
      recipients: [{ email: member.email, full_name: "Zoé Lefèvre" }],
    });
    const sign = `${ENVELOPES}${sent.id}/sign_authenticated/`;
    const without = await owner.post(sign, { fields: [], signature: saved(body.id) });
    expect(without.status).toBe(400);
    const signed = await owner.post(sign, {
      fields: [],
      signature: saved(body.id),
      consent: true,
    });
    expect([signed.status, signed.body.status]).toEqual([200, "completed"]);
    expect((await list())[0]?.last_used_at).not.toBeNull();
    const events = (await anne.get(`${ENVELOPES}${sent.id}/events/`)).body.results as {
      action: string;
      detail: object;
    }[];
    expect(events.find((event) => event.action === "consent_given")?.detail).toMatchObject({
      mark: "saved",
      saved_signature: body.id,
    });
  });

  it("a saved signature of each kind signs an own document", async () => {
    const kinds = [await save(DRAWN), await save(TYPED_ONE), await upload(makePng(300, 90))];
    for (const { body } of kinds) {
      const form = multipart({ signature: JSON.stringify(saved(body.id)) }, [
        { field: "file", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
      ]);
      const signed = await owner.send("POST", "/api/signature/self-sign/", form);
      expect([signed.status, signed.body.level]).toEqual([201, "B-LTA"]);
    }
  });

  it("another's saved signature is refused, and nothing recorded", async () => {
    const stranger = await openMember(service);
    const theirs = (await stranger.post(SAVED, DRAWN)).body.id;
    const anne = await openMember(service);
    const sent = await createSent(anne, {
      recipients: [{ email: member.email, full_name: "Zoé Lefèvre" }],
    });
    const asked = { fields: [], signature: saved(theirs), consent: true };
    await expectRefusal(
      owner.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, asked),
      404,
      "not_found",
    );
    const acts = await service.platform.db
      .selectFrom("signing_acts")
      .select("id")
      .where("envelope_id", "=", sent.id)
      .execute();
    expect(acts).toEqual([]);
  });
});
