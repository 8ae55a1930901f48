import { Alert } from "../../ui/alert/alert.tsx";
import { ResendActivation } from "./resend-activation.tsx";

type Props = { readonly message: string; readonly wrongCredentials: boolean; readonly notActivated: boolean };

const WRONG = "Nom d'utilisateur ou mot de passe incorrect.";

/** Why the login failed: the server's sentence, and the form's own when the credentials are wrong (specification §8). */
export function LoginFailure({ message, wrongCredentials, notActivated }: Props) {
  return (
    <>
      <Alert tone="danger">
        <div>{message}</div>
        {wrongCredentials && message !== WRONG && <div>{WRONG}</div>}
      </Alert>
      {notActivated && <ResendActivation />}
    </>
  );
}
