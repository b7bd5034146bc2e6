/** Requests that keep to what the worker's operator allows, for other task types that make some. */
export { createGate, type Gate } from './http-address.ts';
export { exchange } from './http-request.ts';
