import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import type { OpenedRequest } from "./use-desk.ts";

type HelpDialogProps = {
  readonly request: Pick<OpenedRequest, "sender_name" | "recipient">;
  readonly onClose: () => void;
};

/** How one signs, and whom to ask: what a guest without an account needs to go on. */
export function HelpDialog({ request, onClose }: HelpDialogProps) {
  return (
    <Dialog
      title="Aide"
      sheet
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Fermer
        </Button>
      }
    >
      <p>{`Un seul bouton vous mène de champ en champ, puis à votre accord. Rien n’est signé avant «\u00a0${request.recipient.role === "approver" ? "Approuver" : "Signer"}\u00a0».`}</p>
      <p>
        Vos réponses sont gardées dans cet onglet{"\u00a0"}: vous pouvez recharger la page ou
        tourner votre téléphone.
      </p>
      <p>
        Pour agrandir, ouvrez le numéro de page, au-dessus du document{"\u202f"}; pour n’en lire que
        le texte, «{"\u00a0"}Lecture accessible
        {"\u00a0"}».
      </p>
      <p>{`Une question, une erreur dans le document\u202f? Écrivez à ${request.sender_name}, qui vous l’a envoyé, avant de signer.`}</p>
    </Dialog>
  );
}
