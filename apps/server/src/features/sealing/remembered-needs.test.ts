import { expect, it } from "vitest";
import type { IssuedSigner } from "../trust/index.ts";
import { createRememberedNeeds } from "./remembered-needs.ts";

const der = (text: string) => new TextEncoder().encode(text);
const [alice, bob, ca, root, tsa] = ["alice", "bob", "ca", "root", "tsa"].map(der) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
/** Only its certificates are looked at. */
const signer = (leaf: Uint8Array, issuer = ca) =>
  ({ certificateDer: leaf, signer: { certificates: [leaf, issuer] } }) as unknown as IssuedSigner;
const evidence = { trustAnchors: { signers: [root], timestamps: [] }, certificates: [ca, tsa] };
const needs = {
  certificates: [alice, ca, root, tsa],
  revocations: [
    { certificate: alice, issuer: ca },
    { certificate: ca, issuer: root },
    { certificate: tsa, issuer: root },
  ],
};

it("gives the next signer what the last one needed, their own certificate in its place", () => {
  const memory = createRememberedNeeds();
  expect(memory.recall({ issued: signer(alice), evidence })).toBeNull();
  memory.keep({ issued: signer(alice), evidence }, needs);
  expect(
    memory.recall({
      issued: signer(bob.slice()),
      evidence: { trustAnchors: { signers: [root.slice()], timestamps: [] }, certificates: [ca.slice(), tsa.slice()] },
    }),
  ).toEqual({
    certificates: [bob, ca, root, tsa],
    revocations: [{ certificate: bob, issuer: ca }, ...needs.revocations.slice(1)],
  });
});

it("remembers nothing once an authority came, went or issues in another's place", () => {
  const memory = createRememberedNeeds();
  memory.keep({ issued: signer(alice), evidence }, needs);
  const other = der("other");
  expect(memory.recall({ issued: signer(bob, other), evidence })).toBeNull();
  expect(memory.recall({ issued: signer(bob), evidence: { ...evidence, certificates: [ca, tsa, other] } })).toBeNull();
  expect(memory.recall({ issued: signer(bob), evidence: { ...evidence, certificates: [ca, other] } })).toBeNull();
  expect(memory.recall({ issued: signer(bob), evidence: { ...evidence, trustAnchors: { signers: [], timestamps: [] } } })).toBeNull();
  expect(memory.recall({ issued: signer(bob), evidence })).not.toBeNull();
  memory.forget();
  expect(memory.recall({ issued: signer(bob), evidence })).toBeNull();
});
