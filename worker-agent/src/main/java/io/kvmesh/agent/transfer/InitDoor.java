package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.handshake.HandshakeRequest;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;

/** Takes the handshakes of peers. Belongs to the thread of the server's loop. */
final class InitDoor implements MessageHandler {

  private final HandshakeDesk desk;
  private final DoorReplies replies;
  private final MessageCodec codec;

  InitDoor(HandshakeDesk desk, DoorReplies replies, MessageCodec codec) {
    this.desk = desk;
    this.replies = replies;
    this.codec = codec;
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    try {
      Envelope.Content content = Envelope.splitAnswerable(message);
      answer(socket, message, content);
    } catch (EnvelopeException e) {
      replies.ignore(message, e);
    } finally {
      message.release();
    }
  }

  private void answer(ZmqSocket socket, Multipart message, Envelope.Content content) {
    try {
      HandshakeRequest request = codec.decode(HandshakeRequest.class, content.payload());
      replies.send(socket, content.envelope(), desk.answer(request), List.of());
    } catch (WireFormatException e) {
      if (e.code() == WireFormatException.Code.UNSUPPORTED_FORMAT) {
        // Not garbage: a peer of a later version understands this refusal.
        replies.send(socket, content.envelope(), desk.refuse(e.rule()), List.of());
      } else {
        replies.refuse(socket, content.envelope(), message, String.valueOf(e.getMessage()));
      }
    }
  }
}
