import { callMessage } from "../../../lib/call-message.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";

type Props = { readonly error: unknown; readonly fallback: string; readonly onRetry: () => void };

/** In the place of what could not be read: why, and a way to try again. */
export function LoadFailure({ error, fallback, onRetry }: Props) {
  return (
    <Alert tone="danger">
      <p>{callMessage(error, fallback)}</p>
      <p>
        <Button size="sm" onClick={onRetry}>
          <Icon name="refresh" size="sm" />
          Réessayer
        </Button>
      </p>
    </Alert>
  );
}
