/**
 * Restricts requests to the addresses the worker's operator allows, for other task types that send requests.
 */
export { createGate, type Gate } from './http-address.ts';
export { exchange } from './http-request.ts';
