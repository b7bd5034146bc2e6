/** Nodes on the network: gRPC over HTTP/2, with a join token and, where given, TLS. */
export { hintMasters, type TellMasters } from './hints.ts';
export { isUnreachable, type LogPiece, type LogReader, remoteLogs, serveLogs } from './logs.ts';
export { connectMaster, serveMaster } from './masters.ts';
export type { NetworkOptions } from './options.ts';
export { logToken, type Tls, tokenHash } from './security.ts';
export type { WireServer } from './server.ts';
