/** Parameters of tasks: their sources, the expansion of templates, and outputs printed by tasks. */
export { type BuiltinFacts, builtinParameters, RESERVED_PREFIXES } from './builtin.ts';
export { formatDate } from './date-pattern.ts';
export { namedDay } from './named-day.ts';
export { type Cadence, offsetOf, requiredVersions, type VersionRange, versionOffsets } from './offset.ts';
export { expandParsed, parsedPlace, parsedWarning } from './parsed-places.ts';
export {
  noValue,
  type ParameterSource,
  type ParameterSources,
  type ResolutionOptions,
  type ResolvedParameter,
  resolveParameters,
  type UpstreamOutput,
  type Values,
} from './precedence.ts';
export { expandScript, isShell, pasteReferences, placeWarning, scriptPlaces } from './script.ts';
export {
  isSecretName,
  type ReadSecret,
  SECRET_PREFIX,
  secretMark,
  withSecrets,
} from './secret.ts';
export { putSecrets, putSecretsWithin, secretsNamed, secretsWithin } from './secret-text.ts';
export { OutputCollector, type OutputLimits } from './set-value.ts';
export { sizeRefusal } from './size.ts';
export {
  type BoundStatement,
  bindSql,
  expandSqlTimes,
  type Markers,
  type SqlExpansion,
  type SqlValue,
  splitSql,
} from './sql.ts';
export { type Expansion, expand, expandOnly, inert, isParameterName, references } from './template.ts';
export { timePlaceholder } from './time-placeholder.ts';
export { addSpan } from './time-span.ts';
export { coerce, type JsonValue } from './types.ts';
export { expandUrl } from './url.ts';
export { carrierVariable, parameterVariable, shardVariables, toldVariables } from './variables.ts';
