export type { ChannelKind, Outgoing, SendAnswer, SendTools } from './channel.ts';
export { channelKinds } from './channels/index.ts';
export { type Language, languages, type MessageText, plainText, writeMessage } from './message.ts';
export { deliverySender, type SendDelivery, type SenderPorts } from './sender.ts';
export { listChannelKinds, settingsProblem, settingsProblemText } from './settings.ts';
