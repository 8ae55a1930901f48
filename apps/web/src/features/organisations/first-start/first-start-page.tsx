import type { User } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../../lib/api/api-error.ts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { AuthLayout } from "../../accounts/auth-layout.tsx";
import { ServiceAway } from "../../accounts/protected-route.tsx";
import { useSession } from "../../accounts/use-session.ts";
import { checkFirstStart } from "../organisation-calls.ts";

const AccountStep = lazyPart(
  async () => (await import("./first-start-account.tsx")).AccountStep,
  <FullLoader />,
);
const ClaimStep = lazyPart(
  async () => (await import("./first-start-account.tsx")).ClaimStep,
  <FullLoader />,
);
const OrganisationSteps = lazyPart(
  async () => (await import("./first-start-steps.tsx")).OrganisationSteps,
  <FullLoader />,
);

/** Whoever has the address printed at the first start becomes the owner. */
export function FirstStartPage() {
  const session = useSession();
  if (session.state === "loading") return <FullLoader />;
  if (session.state === "unreachable") return <ServiceAway onRetry={session.retry} />;
  const user = session.state === "member" ? session.user : null;
  const role = user?.organisation_role;
  return user !== null && (role === "owner" || role === "administrator") ? (
    <OrganisationSteps user={user} />
  ) : (
    <Claim user={user} />
  );
}

function Claim({ user }: { readonly user: User | null }) {
  // A fragment is sent to no server.
  const [token] = useState(() => window.location.hash.slice(1));
  const { data, error, refetch } = useQuery({
    queryKey: ["first-start", token],
    queryFn: () => checkFirstStart(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const code = error instanceof ApiError ? error.code : undefined;
  if (code === "first_start_used")
    return <UsedAddress since={sinceOf(error)} isMember={user !== null} />;
  if (code === "first_start_expired" || code === "validation" || token === "")
    return <ExpiredAddress />;
  if (error !== null) return <ServiceAway onRetry={() => void refetch()} />;
  if (data === undefined) return <FullLoader />;
  return user === null ? <AccountStep token={token} /> : <ClaimStep token={token} user={user} />;
}

function sinceOf(error: unknown): string | undefined {
  const body = error instanceof ApiError ? error.details.body : undefined;
  return typeof body === "object" &&
    body !== null &&
    "since" in body &&
    typeof body.since === "string"
    ? body.since
    : undefined;
}

function UsedAddress({ since, isMember }: { since: string | undefined; isMember: boolean }) {
  const day = since === undefined ? "" : ` depuis le ${formatLongDay(since)}`;
  return (
    <AuthLayout isWide>
      <div>
        <PageHeading title="Cette adresse a déjà servi">Cette adresse a déjà servi</PageHeading>
        <p className="lede">
          Le service a une administratrice ou un administrateur{day}. Demandez-lui une invitation,
          ou lancez <code className="mono">paraphe admin invite</code> sur le serveur.
        </p>
      </div>
      <Leave isMember={isMember} />
    </AuthLayout>
  );
}

function ExpiredAddress() {
  return (
    <AuthLayout isWide>
      <div>
        <PageHeading title="Cette adresse n’est plus valable">
          Cette adresse n’est plus valable
        </PageHeading>
        <p className="lede">
          Elle expire au bout de 24{"\u00a0"}heures, et une nouvelle la remplace. Pour en avoir une
          autre, lancez <code className="mono">paraphe admin setup</code> sur le serveur.
        </p>
      </div>
      <Leave isMember={false} />
    </AuthLayout>
  );
}

function Leave({ isMember }: { readonly isMember: boolean }) {
  return isMember ? (
    <LinkButton variant="primary" size="lg" block to="/dashboard">
      Tableau de bord
    </LinkButton>
  ) : (
    <LinkButton variant="primary" size="lg" block to="/login">
      Se connecter
    </LinkButton>
  );
}
