import { type InvitationAnswer, ROLE_NAMES, type User } from "@paraphe/contracts";
import { uncapitalised } from "@paraphe/kernel/french-words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { AuthLayout } from "../../accounts/auth-layout.tsx";
import { ServiceAway } from "../../accounts/protected-route.tsx";
import { sessionQuery, useLogOut, useSession } from "../../accounts/use-session.ts";
import { acceptInvitation, checkInvitation } from "./member-calls.ts";

const ENDED = {
  invitation_used: "Cette invitation a déjà servi",
  invitation_withdrawn: "Cette invitation a été annulée",
  invitation_expired: "Cette invitation n’est plus valable",
  validation: "Cette invitation n’est plus valable",
} as const;

/** `/invitation#…`: the fragment is sent to no server. */
export function InvitationPage() {
  const session = useSession();
  const [token] = useState(() => window.location.hash.slice(1));
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => checkInvitation(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const code = error instanceof ApiError ? error.code : undefined;
  if (code !== undefined && code in ENDED)
    return (
      <Ended
        title={ENDED[code as keyof typeof ENDED]}
        error={error}
        isMember={session.state === "member"}
      />
    );
  if (error !== null) return <ServiceAway onRetry={() => void refetch()} />;
  if (session.state === "unreachable") return <ServiceAway onRetry={session.retry} />;
  if (data === undefined || session.state === "loading") return <FullLoader />;
  return (
    <Invitation
      {...{ token, invitation: data }}
      user={session.state === "member" ? session.user : null}
    />
  );
}

type EndedProps = { readonly title: string; readonly error: unknown; readonly isMember: boolean };

function Ended({ title, error, isMember }: EndedProps) {
  return (
    <AuthLayout>
      <div>
        <PageHeading title={title}>{title}</PageHeading>
        <p className="lede">
          {error instanceof ApiError && error.code !== "validation"
            ? afterFirst(callMessage(error, ""))
            : "Ouvrez le lien entier de l’email que vous avez reçu."}
        </p>
      </div>
      <LinkButton variant="primary" size="lg" block to={isMember ? "/dashboard" : "/login"}>
        {isMember ? "Tableau de bord" : "Se connecter"}
      </LinkButton>
    </AuthLayout>
  );
}

/** The heading already shows the first sentence. */
const afterFirst = (sentences: string) => sentences.slice(sentences.indexOf(". ") + 2);

type InvitationProps = {
  readonly token: string;
  readonly invitation: InvitationAnswer;
  readonly user: User | null;
};

function Invitation({ token, invitation, user }: InvitationProps) {
  const name = invitation.organisation ?? "l’organisation";
  const by =
    invitation.invited_by === null ? "Vous êtes invité" : `${invitation.invited_by} vous invite`;
  const role =
    invitation.role === null ? "" : `, comme ${uncapitalised(ROLE_NAMES[invitation.role])}`;
  return (
    <AuthLayout>
      <div>
        <PageHeading title={`Rejoindre ${name}`}>Rejoindre {name}</PageHeading>
        <p className="lede">
          {by} à rejoindre {name} sur ce service de signature électronique{role}.
        </p>
      </div>
      <p className="break">
        Adresse invitée{"\u00a0"}: <b>{invitation.email}</b>
      </p>
      {user === null ? (
        <Visitor {...{ token, invitation }} />
      ) : (
        <Member {...{ token, invitation, user }} />
      )}
    </AuthLayout>
  );
}

function Visitor({ token, invitation }: Omit<InvitationProps, "user">) {
  const location = useLocation();
  if (invitation.account === "none")
    return (
      <Link
        className={buttonLook({ variant: "primary", size: "lg", block: true })}
        to={`/register?invitation=${token}`}
        state={{ email: invitation.email }}
      >
        Créer mon compte
      </Link>
    );
  if (invitation.account === "closed")
    return (
      <Join token={token} to="/login">
        Votre compte avait été fermé. Il s’ouvrira de nouveau, avec le même mot de passe.
      </Join>
    );
  return (
    <>
      <p>Cette adresse a déjà un compte{"\u00a0"}: connectez-vous, puis acceptez l’invitation.</p>
      <Link
        className={buttonLook({ variant: "primary", size: "lg", block: true })}
        to="/login"
        state={{ from: location }}
      >
        Se connecter
      </Link>
    </>
  );
}

function Member({ token, invitation, user }: InvitationProps & { readonly user: User }) {
  const { logOut, isPending } = useLogOut();
  if (user.email.toLowerCase() === invitation.email.toLowerCase())
    return <Join token={token} to="/dashboard" />;
  return (
    <>
      <Alert tone="warning">
        Vous êtes connecté avec {user.email}. Déconnectez-vous, puis rouvrez le lien de l’email.
      </Alert>
      <Button size="lg" block loading={isPending} onClick={logOut}>
        Déconnexion
      </Button>
    </>
  );
}

type JoinProps = { readonly token: string; readonly to: string; readonly children?: ReactNode };

function Join({ token, to, children }: JoinProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => acceptInvitation(token),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showToast("ok", "Invitation acceptée");
      await navigate(to, { replace: true });
    },
  });
  return (
    <>
      {children !== undefined && <p>{children}</p>}
      {error !== null && (
        <Alert tone="danger">{callMessage(error, "Impossible d’accepter l’invitation")}</Alert>
      )}
      <Button variant="primary" size="lg" block loading={isPending} onClick={() => mutate()}>
        Accepter l’invitation
      </Button>
    </>
  );
}
