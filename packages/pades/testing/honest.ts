import { type AttackStage, sealed, STAGE_LATER } from "./attack-stage.ts";
import { archiveWith } from "./archive.ts";
import { HONEST_DIGESTS } from "./attacks-digests.ts";
import { HONEST_DISGUISES, HONEST_PARENTS } from "./attacks-disguise.ts";
import { HONEST_FILLED } from "./attacks-filling.ts";
import { HONEST_FILLING, HONEST_STAMP } from "./attacks-form.ts";
import { HONEST_KEPT } from "./attacks-kept.ts";
import { HONEST_LOOKS } from "./attacks-looks.ts";
import { HONEST_MAKERS } from "./attacks-makers.ts";
import { HONEST_FIELDS, HONEST_METADATA, HONEST_SEEDS, HONEST_STORE } from "./attacks-meaning.ts";
import { HONEST_NAMES, HONEST_NUMBERS } from "./attacks-spelling.ts";
import { HONEST_PLACES } from "./attacks-places.ts";
import { HONEST_ROLES } from "./attacks-roles.ts";
import { HONEST_SHAPES } from "./attacks-shapes.ts";
import { distantTsa, HONEST_CERTIFICATES, sealedBy, sealedUnder } from "./attacks-trust.ts";
import { HONEST_UNSIGNED } from "./attacks-unlisted.ts";
import { forgedUpdate, lastObject, tableRow } from "./forge.ts";
import { signFreely } from "./sign-freely.ts";

/** Honest changes by name; each stays valid. */
export const HONEST: Readonly<
  Record<string, (stage: AttackStage) => Uint8Array | Promise<Uint8Array>>
> = {
  "a first signature": (stage) => stage.first,
  "a second signer": (stage) => stage.second,
  "a document time-stamp": (stage) => stage.archived,
  "its renewal": (stage) => archiveWith(stage.pki, stage.archived, STAGE_LATER),
  "a certified file": (stage) => stage.certified,
  "an invisible signature after a certification": (stage) =>
    signFreely(stage.certified, {
      fieldName: "second",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered),
    }),
  "what shadow attacks work on, left alone": (stage) => stage.shadow,
  "a document time-stamp by another writer": (stage) => HONEST_STAMP(stage),
  "a field filled by somebody who signs that it is theirs": (stage) => HONEST_FILLING(stage),
  "a further signature that is seen, by another writer": (stage) =>
    signFreely(stage.archived, {
      rect: "50 50 250 110",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsaAt(STAGE_LATER) }, covered),
    }),
  ...HONEST_DISGUISES,
  ...HONEST_CERTIFICATES,
  ...HONEST_METADATA,
  ...HONEST_SEEDS,
  ...HONEST_FIELDS,
  ...HONEST_STORE,
  ...HONEST_ROLES,
  ...HONEST_PLACES,
  ...HONEST_DIGESTS,
  ...HONEST_UNSIGNED,
  ...HONEST_PARENTS,
  ...HONEST_SHAPES,
  ...HONEST_FILLED,
  ...HONEST_NAMES,
  ...HONEST_NUMBERS,
  ...HONEST_LOOKS,
  ...HONEST_KEPT,
  ...HONEST_MAKERS,
  "a time-stamp whose authority's own authority is in its token alone": async (stage) =>
    sealedBy(stage.second, await distantTsa(stage, "chain")),
  "a signature time-stamp whose authority's own authority is in its token alone": async (stage) => {
    const tsa = await distantTsa(stage, "chain");
    return signFreely(stage.prepared, {
      cms: (covered) => sealed({ signer: stage.alice, tsa }, covered),
    });
  },
  "a document time-stamp over a digest of 384 bits": (stage) => sealedUnder(stage, "SHA-384"),
  "a document time-stamp over a digest of 512 bits": (stage) => sealedUnder(stage, "SHA-512"),
  "what a writer notes of itself": (stage) => {
    const { number, syntax } = lastObject(stage.archived, "/Type /Catalog");
    const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>';
    const extension = "<</Type/DeveloperExtensions/BaseVersion/2.0/ExtensionLevel 32002>>";
    return forgedUpdate(stage.archived, {
      parts: {
        c: `${number} 0 obj\n${syntax.slice(0, -2)}/Version/2.0/Extensions<</Type/Extensions/ESIC ${extension}/ISO_[${extension}]>>/Metadata 996 0 R>>\nendobj\n`,
        m: `996 0 obj\n<</Type/Metadata/Subtype/XML/Length ${xmp.length}>>\nstream\n${xmp}\nendstream\nendobj\n`,
        i: "997 0 obj\n<</ModDate(D:20261121141604Z)/Producer(x)>>\nendobj\n",
      },
      rows: ({ c = 0, m = 0, i = 0 }) => tableRow(number, c) + tableRow(996, m) + tableRow(997, i),
      trailer: (text) => `${text}/Info 997 0 R`,
    });
  },
};
