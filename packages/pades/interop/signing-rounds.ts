import type { FieldPlacement, Mark } from "../src/pdf/types.ts";
import type { Signer } from "../src/ports.ts";
import { prepareFields } from "../src/sign/prepare-fields.ts";
import { archiveWith } from "../testing/archive.ts";
import {
  ownFields,
  PLACEMENTS,
  PREFIX,
  STROKES,
  type SignStep,
  signAs,
} from "../testing/sign-flow.ts";
import { TEST_FONTS } from "../testing/test-fonts.ts";
import { TEST_NOW, type TestPki } from "../testing/test-pki.ts";
import { onFreePlaces } from "./free-places.ts";

const HOUR = 3_600_000;

/**
 * A file's life: signed, archived the same day, renewed two years later after the certificates
 * expired, validated then.
 */
export const LIFE = {
  signed: TEST_NOW,
  archived: new Date(TEST_NOW.getTime() + HOUR),
  renewed: new Date(TEST_NOW.getTime() + 2 * 365 * 24 * HOUR),
  judged: new Date(TEST_NOW.getTime() + 2 * 365 * 24 * HOUR + HOUR),
} as const;

export type Life = {
  readonly prepared: Uint8Array;
  readonly signed: readonly Uint8Array[];
  readonly archived: Uint8Array;
  readonly renewed: Uint8Array;
};

/**
 * Takes a file through its life with the two signers of `PLACEMENTS` and every kind of field: on
 * free places, or all over the content.
 */
export async function liveWithTwo(
  pki: TestPki,
  original: Uint8Array,
  where: "room" | "anywhere" = "room",
): Promise<Life> {
  const [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Alice Martin" }),
    pki.issue({ commonName: "Bob Œuvrard" }),
  ]);
  const fields = where === "room" ? await onFreePlaces(original, PLACEMENTS) : PLACEMENTS;
  const placed = new Set(fields.map(({ name }) => name));
  const step = (ownerKey: string, signer: Signer, mark: Mark): SignStep => ({
    signer,
    ownerKey,
    tsa: pki.tsa,
    options: { mark, ownFields: ownFields(ownerKey).filter(({ name }) => placed.has(name)) },
  });
  const prepared = await prepareFields(original, {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields,
    ownerKeys: ["alice", "bob"],
  });
  const first = await signAs(prepared, step("alice", alice, STROKES));
  const second = await signAs(
    first,
    step("bob", bob, { kind: "typed", text: "Bob Œuvrard", hand: "caveat" }),
  );
  return { prepared, signed: [first, second], ...(await archiveTwice(pki, second)) };
}

/** The same with many signers, each with a signature and a text. */
export async function liveWithMany(
  pki: TestPki,
  original: Uint8Array,
  count: number,
): Promise<Life> {
  const owners = Array.from({ length: count }, (_, index) => `signer-${index + 1}`);
  const placements = owners.flatMap((ownerKey, index): FieldPlacement[] => {
    const [x, y] = [0.05 + 0.24 * (index % 4), 0.05 + 0.19 * Math.floor(index / 4)];
    const both = {
      ownerKey,
      pageNumber: 1,
      x,
      width: 0.2,
      label: ownerKey,
      tooltip: `Champ de ${ownerKey}`,
    };
    return [
      { ...both, name: `${ownerKey}-sig`, type: "signature", y, height: 0.08 },
      { ...both, name: `${ownerKey}-txt`, type: "text", y: y + 0.1, height: 0.04 },
    ];
  });
  const prepared = await prepareFields(original, {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields: placements,
  });
  const signed: Uint8Array[] = [];
  for (const ownerKey of owners) {
    const own = placements
      .filter((field) => field.ownerKey === ownerKey)
      .map(({ name, type, label }) => ({
        name,
        type,
        label,
        value: type === "text" ? `Lu et approuvé, ${ownerKey}` : null,
      }));
    const signer = await pki.issue({ commonName: `Signataire ${ownerKey}` });
    signed.push(
      await signAs(signed.at(-1) ?? prepared, {
        signer,
        tsa: pki.tsa,
        ownerKey,
        options: { ownFields: own },
      }),
    );
  }
  return { prepared, signed, ...(await archiveTwice(pki, signed.at(-1) ?? prepared)) };
}

async function archiveTwice(
  pki: TestPki,
  signed: Uint8Array,
): Promise<Pick<Life, "archived" | "renewed">> {
  const archived = await archiveWith(pki, signed, LIFE.archived);
  return { archived, renewed: await archiveWith(pki, archived, LIFE.renewed) };
}
