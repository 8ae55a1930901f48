import type { MemberRole } from "@paraphe/contracts";
import { grantRole } from "../src/features/organisations/public.ts";
import { createMember, type Member } from "./member.ts";
import type { TestPlatform } from "./platform.ts";

export const IDENTITY = {
  name: "Cabinet Aubry & Associés",
  legal_form: "SELARL",
  address: "14 rue aux Juifs, 76000 Rouen",
  siret: "73282932000074",
  representative: "Clémence Aubry-Lefèvre",
  contact_email: "contact@cabinet-aubry.fr",
  dpo_email: null,
} as const;

/** The account has this role in the host organisation. */
export async function createMemberAs(platform: TestPlatform, role: MemberRole): Promise<Member> {
  const member = await createMember(platform);
  await platform.db
    .transaction()
    .execute((trx) => grantRole(trx, platform, { userId: member.id, role, actorId: null }));
  return member;
}
