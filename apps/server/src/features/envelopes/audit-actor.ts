import type { AuditActor } from "../journal/public.ts";
import type { Actor } from "./domain/command.ts";

/** Gives a signed-in person as the journal keeps them. */
export function auditActor({ user, client }: Actor): AuditActor {
  return { kind: "user", id: user.id, name: user.full_name, ip: client.ip, userAgent: client.userAgent };
}
