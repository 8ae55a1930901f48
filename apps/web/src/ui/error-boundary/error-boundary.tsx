import { Component, type ErrorInfo, type ReactNode } from "react";
import { Button } from "../button/button.tsx";
import { Icon } from "../icon/icon.tsx";
import styles from "./error-boundary.module.css";

type Props = { readonly children: ReactNode };
type State = { readonly failed: boolean };

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error("rendering failed", error, info.componentStack);
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <main className={styles["crash"]} id="contenu" role="alert">
        <Icon name="warning" className={styles["sign"]} />
        <h1 className="h1">Une erreur inattendue est survenue.</h1>
        <p className="ink2">
          Votre travail enregistré n’est pas perdu. Rechargez la page pour continuer.
        </p>
        <Button variant="primary" onClick={() => location.reload()}>
          <Icon name="refresh" />
          Recharger la page
        </Button>
      </main>
    );
  }
}
