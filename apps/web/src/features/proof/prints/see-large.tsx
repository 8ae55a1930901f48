import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";

/** Shows a page of the document on the whole window, beside the paper that somebody holds. */
export function SeeLarge({ onClick }: { readonly onClick: () => void }) {
  return (
    <div>
      <Button onClick={onClick}>
        <Icon name="eye" size="sm" />
        Voir cette page en grand
      </Button>
    </div>
  );
}
