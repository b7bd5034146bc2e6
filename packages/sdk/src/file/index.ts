/** The text of a workflow file as the server reads it; apart from the client, because it brings the schemas. */
export { parseWorkflowFile } from '@orrery/core/model';
