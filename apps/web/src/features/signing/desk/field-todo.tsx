import { Icon } from "../../../ui/icon/icon.tsx";
import { type SigningField, fieldTitle, isFilled, mustBeFilled } from "./field-walk.ts";
import styles from "./field-todo.module.css";
import type { Desk } from "./use-desk.ts";

export function FieldTodo({
  desk,
  currentId,
  onGo,
}: {
  desk: Desk;
  currentId: string | null;
  onGo: (field: SigningField) => void;
}) {
  if (desk.own.length === 0)
    return <p className="muted">Aucun champ à remplir : lisez, puis donnez votre accord.</p>;
  return (
    <div>
      <h2 className="h2">À remplir</h2>
      <ol className={styles.list}>
        {desk.own.map((field) => {
          const isDone = isFilled(field, desk.answers);
          const error = desk.errors[field.id];
          return (
            <li key={field.id}>
              <button
                type="button"
                className={styles.item}
                data-state={
                  error ? "wrong" : isDone ? "done" : mustBeFilled(field) ? "todo" : "optional"
                }
                aria-current={field.id === currentId ? "true" : undefined}
                onClick={() => onGo(field)}
              >
                <Icon name={error ? "alert" : isDone ? "check-circle" : "pen"} />
                <span>
                  {`${fieldTitle(field)}, page\u00a0${field.page}`}
                  {mustBeFilled(field) ? null : <span className="muted"> (facultatif)</span>}
                  {error ? <small>{error}</small> : null}
                  {isDone && !error ? <span className="sr"> (rempli)</span> : null}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
