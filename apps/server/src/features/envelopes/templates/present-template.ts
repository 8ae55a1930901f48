import type { Template as TemplateAnswer } from "@paraphe/contracts";
import type { Template } from "./domain/template.ts";

/** Gives a template as the contract has it. */
export function presentTemplate({ id, name, content, documents, createdAt, updatedAt }: Template): TemplateAnswer {
  return {
    id,
    name,
    title: content.title,
    message: content.message,
    flow: content.flow,
    documents: documents.map((document) => ({ name: document.name, size: document.sizeBytes, page_count: document.pageCount })),
    roles: content.roles.map((role, index) => ({
      label: role.label,
      role: role.role,
      order: role.order,
      field_count: content.fields.filter((field) => field.recipient_index === index).length,
    })),
    field_count: content.fields.length,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
