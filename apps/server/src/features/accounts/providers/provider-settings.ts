import {
  failure,
  type Problem,
  problem,
  type ProviderKind,
  type ProviderList,
  type ProviderRequest,
  type ProviderSettings,
  type Result,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { logoutAddress, returnAddress } from "./provider-client.ts";
import { forgetProviders } from "./provider-login.ts";
import {
  deleteProvider,
  findProvider,
  type Provider,
  putProvider,
  selectProviders,
} from "./provider-store.ts";

export async function listProviders(platform: Platform): Promise<ProviderList> {
  const providers = await selectProviders(platform.db);
  const shown = (kind: ProviderKind) => {
    const provider = providers.find((one) => one.kind === kind);
    return provider === undefined ? null : present(provider);
  };
  const addresses = (kind: ProviderKind) => ({
    return: returnAddress(platform, kind),
    logout: logoutAddress(platform, kind),
  });
  return {
    oidc: shown("oidc"),
    proconnect: shown("proconnect"),
    addresses: { oidc: addresses("oidc"), proconnect: addresses("proconnect") },
  };
}

function present(provider: Provider): ProviderSettings {
  return {
    issuer: provider.issuer,
    client_id: provider.clientId,
    label: provider.label,
    domains: [...provider.domains],
    arrival_role: provider.arrivalRole,
    role_claim: provider.roleClaim,
    is_only_way: provider.isOnlyWay,
    version: provider.version,
    secret_saved_at: provider.secretSavedAt.toISOString(),
    tested_at: provider.testedAt?.toISOString() ?? null,
  };
}

const SECRET_REQUIRED = { client_secret: ["Secret requis"] };

/**
 * Stores a provider. Another issuer, client or secret needs a new trial.
 * Errors: `organisation_changed` when another version was edited; `provider_untested` for the only
 * way to sign in before a trial succeeded; `validation` without a secret.
 */
export async function saveProvider(
  platform: Platform,
  { kind, request }: { readonly kind: ProviderKind; readonly request: ProviderRequest },
): Promise<Result<ProviderList, Problem>> {
  const saved = await inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    const before = await findProvider(trx, kind);
    if ((before?.version ?? 0) !== request.version) return failure(problem("organisation_changed"));
    const { client_secret: given } = request;
    // A stored secret is never sent to another provider.
    const kept = before !== null && before.issuer === request.issuer ? before : null;
    if (given === undefined && kept === null)
      return failure(problem("validation", { errors: SECRET_REQUIRED }));
    const isSame = given === undefined && kept !== null && kept.clientId === request.client_id;
    const testedAt = isSame ? kept.testedAt : null;
    if (request.is_only_way && testedAt === null) return failure(problem("provider_untested"));
    const secret =
      given === undefined && kept !== null
        ? kept
        : {
            secretWrapped: platform.secrets.wrap(
              new TextEncoder().encode(given),
              `provider ${kind}`,
            ),
            secretSavedAt: platform.clock(),
          };
    return (await putProvider(trx, { kind, request, secret, testedAt }))
      ? success(null)
      : failure(problem("organisation_changed"));
  });
  forgetProviders(platform);
  return saved.ok ? success(await listProviders(platform)) : saved;
}

/** Its sessions stay; the accounts that it made sign in by a new password. */
export async function removeProvider(
  platform: Platform,
  kind: ProviderKind,
): Promise<ProviderList> {
  await deleteProvider(platform.db, kind);
  forgetProviders(platform);
  return listProviders(platform);
}
