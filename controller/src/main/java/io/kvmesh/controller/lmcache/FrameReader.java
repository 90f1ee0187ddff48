package io.kvmesh.controller.lmcache;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.directory.DirectoryMessage;

/** Reads and counts the messages of a socket: msgpack, or JSON where the first byte is a brace. */
final class FrameReader {

  private final MessageCodec codec;
  private final FrontCounts counts;
  private final FrontCounts.Door door;

  FrameReader(MessageCodec codec, FrontCounts counts, FrontCounts.Door door) {
    this.codec = codec;
    this.counts = counts;
    this.door = door;
  }

  DirectoryMessage read(byte[] frame) throws WireFormatException {
    boolean json = MessageCodec.isJson(frame);
    DirectoryMessage message =
        json
            ? codec.decodeJson(DirectoryMessage.class, frame)
            : codec.decode(DirectoryMessage.class, frame);
    counts.message(door);
    if (json) {
      counts.json(door);
    }
    return message;
  }
}
