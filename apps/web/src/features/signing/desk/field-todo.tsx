import { Icon } from "../../../ui/icon/icon.tsx";
import { type SigningField, fieldTitle, isFilled } from "./field-walk.ts";
import styles from "./field-todo.module.css";
import type { Desk } from "./use-desk.ts";

type TodoProps = {
  readonly desk: Desk;
  readonly currentId: string | null;
  readonly onGo: (field: SigningField) => void;
};

export function FieldTodo(props: TodoProps) {
  const { own, counted, optional } = props.desk;
  if (own.length === 0)
    return <p className="muted">Aucun champ à remplir : lisez, puis donnez votre accord.</p>;
  return (
    <div className={styles.todo}>
      <FieldList {...props} title="À remplir" fields={counted} />
      <FieldList {...props} title="Facultatif" fields={optional} />
    </div>
  );
}

type FieldListProps = TodoProps & {
  readonly title: string;
  readonly fields: readonly SigningField[];
};

function FieldList({ title, fields, ...list }: FieldListProps) {
  if (fields.length === 0) return null;
  return (
    <section>
      <h2 className="h2">{title}</h2>
      <ol className={styles.list}>
        {fields.map((field) => (
          <FieldItem key={field.id} {...list} field={field} />
        ))}
      </ol>
    </section>
  );
}

function FieldItem({ desk, currentId, onGo, field }: TodoProps & { readonly field: SigningField }) {
  const isDone = isFilled(field, desk.answers);
  const error = desk.errors[field.id];
  const unfilled = desk.optional.includes(field) ? "optional" : "todo";
  return (
    <li>
      <button
        type="button"
        className={styles.item}
        data-state={error ? "wrong" : isDone ? "done" : unfilled}
        aria-current={field.id === currentId ? "true" : undefined}
        onClick={() => onGo(field)}
      >
        <Icon name={error ? "alert" : isDone ? "check-circle" : "pen"} />
        <span>
          {`${fieldTitle(field)}, page\u00a0${field.page}`}
          {error ? <small>{error}</small> : null}
          {isDone && !error ? <span className="sr"> (rempli)</span> : null}
        </span>
      </button>
    </li>
  );
}
