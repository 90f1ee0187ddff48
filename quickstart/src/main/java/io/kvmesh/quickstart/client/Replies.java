package io.kvmesh.quickstart.client;

import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;

/** Reads replies. */
final class Replies {

  private Replies() {}

  static <T extends Message> T decode(
      MessageCodec codec, Class<T> family, byte[] payload, String sender) throws ClientException {
    try {
      return codec.decode(family, payload);
    } catch (WireFormatException e) {
      throw new ClientException(sender + " sent what can't be read: " + e.getMessage(), e);
    }
  }
}
