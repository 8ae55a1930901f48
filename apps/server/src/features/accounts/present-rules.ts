import type { ServiceRules } from "@paraphe/contracts";
import { isSmsOffered } from "../../platform/sms/create-sms-transport.ts";
import { registrationOf } from "./may-register.ts";
import type { Settings } from "../../platform/settings/settings.ts";

type RuleSettings = Pick<Settings, "passwordMinLength" | "registration" | "mailDisabled"> & Parameters<typeof isSmsOffered>[0];

/** Gives what pages are told of the service before anything is asked of it. */
export function presentRules(settings: RuleSettings): ServiceRules {
  const policy = registrationOf(settings);
  return {
    password_min_length: settings.passwordMinLength,
    registration: { kind: policy.kind, domains: policy.kind === "domains" ? [...policy.domains] : [] },
    mail: !settings.mailDisabled,
    sms: isSmsOffered(settings),
  };
}
