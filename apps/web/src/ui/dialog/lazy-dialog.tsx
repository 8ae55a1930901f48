import { useEffect, useEffectEvent, useState, type ComponentType } from "react";
import { isOutdated, loadPart } from "../../lib/api/load-part.ts";
import { showToast } from "../toast/toast-store.ts";

/**
 * Loaded when first opened; the focus waits on the opener. A failed load closes the dialog with a
 * toast.
 */
export function lazyDialog<P extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyDialog(props: P) {
    const [Shown, setShown] = useState(() => loaded);
    const giveUp = useEffectEvent((error: unknown) => {
      console.warn("a dialog did not load", error);
      props.onClose();
      void sayAway();
    });
    useEffect(() => {
      if (loaded) return undefined;
      let isOpen = true;
      loadPart(load).then(
        (dialog) => {
          loaded = dialog;
          if (isOpen) setShown(() => dialog);
        },
        (error: unknown) => isOpen && giveUp(error),
      );
      return () => {
        isOpen = false;
      };
    }, []);
    return Shown ? <Shown {...props} /> : null;
  };
}

async function sayAway(): Promise<void> {
  if (await isOutdated())
    showToast("err", "Une nouvelle version du service est en ligne.", {
      detail: "Rechargez la page pour continuer.",
    });
  else showToast("err", "Erreur réseau ou serveur injoignable");
}
