import type { ServiceRules } from "@paraphe/contracts";
import { isSmsOffered } from "../../platform/sms/create-sms-transport.ts";
import type { Settings } from "../../platform/settings/settings.ts";

type RuleSettings = Pick<Settings, "passwordMinLength" | "registration" | "mailDisabled"> & Parameters<typeof isSmsOffered>[0];

/** Gives what pages are told of the service before anything is asked of it. Without mail nobody registers but by an invitation (`checkOpen`). */
export function presentRules({ passwordMinLength, registration, mailDisabled, ...sms }: RuleSettings): ServiceRules {
  const kind = mailDisabled ? "closed" : registration.kind;
  return {
    password_min_length: passwordMinLength,
    registration: { kind, domains: kind === "domains" && registration.kind === "domains" ? [...registration.domains] : [] },
    mail: !mailDisabled,
    sms: isSmsOffered(sms),
  };
}
