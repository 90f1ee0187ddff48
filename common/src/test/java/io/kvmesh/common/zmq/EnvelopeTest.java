package io.kvmesh.common.zmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnvelopeTest {

  private static Multipart message(String... frames) {
    List<Frame> parts = Arrays.stream(frames).map(text -> Frame.of(text.getBytes(UTF_8))).toList();
    return new Multipart(parts, "");
  }

  private static List<String> texts(List<Frame> frames) {
    return frames.stream().map(frame -> new String(frame.toArray(), UTF_8)).toList();
  }

  @Test
  void splitRouted_everyEnvelope_isEchoed() throws Exception {
    for (List<String> envelope :
        List.of(
            List.of("id"),
            List.of("id", ""),
            List.of("id", "12345678", ""),
            List.of("id", "12345678"),
            List.of("id", "hop", "12345678", ""))) {
      String[] frames = new String[envelope.size() + 1];
      envelope.toArray(frames);
      frames[envelope.size()] = "payload";

      Envelope.Content content = Envelope.splitRouted(message(frames));

      assertThat(content.payload()).isEqualTo("payload".getBytes(UTF_8));
      assertThat(content.body()).isEmpty();
      List<String> answer = texts(content.envelope().with("answer".getBytes(UTF_8)));
      assertThat(answer).startsWith(envelope.toArray(String[]::new)).endsWith("answer");
      assertThat(answer).hasSize(envelope.size() + 1);
    }
  }

  @Test
  void splitAnswerable_noPayload_isAnsweredAllTheSame() throws Exception {
    for (List<String> frames :
        List.of(
            List.of("id", "p"),
            List.of("id", "", "p"),
            List.of("id", "", "", "p"),
            List.of("id", "x", "", "", "p"),
            List.of("id", ""),
            List.of("id", "", ""),
            List.of("id", "12345678", "", ""))) {
      Envelope.Content content = Envelope.splitAnswerable(message(frames.toArray(String[]::new)));

      assertThat(new String(content.payload(), UTF_8)).isEqualTo(frames.getLast());
      assertThat(content.body()).isEmpty();
      assertThat(texts(content.envelope().with("answer".getBytes(UTF_8))))
          .startsWith(frames.subList(0, frames.size() - 1).toArray(String[]::new))
          .endsWith("answer")
          .hasSameSizeAs(frames);
    }
    assertThatThrownBy(() -> Envelope.splitAnswerable(message("id")))
        .isInstanceOf(EnvelopeException.class);
  }

  @Test
  void splitAnswerable_emptyBodyFrame_isAnsweredWhereItsSenderLooks() throws Exception {
    for (List<String> frames :
        List.of(
            List.of("id", "12345678", "", "p", ""),
            List.of("id", "12345678", "", "p", "", "b"),
            List.of("id", "12345678", "", "p", "b", ""))) {
      Envelope.Content content = Envelope.splitAnswerable(message(frames.toArray(String[]::new)));

      assertThat(content.payload()).as("nothing that could be served").isEmpty();
      assertThat(content.envelope().requestId()).isPresent();
      assertThat(texts(content.envelope().with("answer".getBytes(UTF_8))))
          .containsExactly("id", "12345678", "", "answer");
    }
    assertThat(
            texts(
                Envelope.splitAnswerable(message("id", "", "p", "")).envelope().with(new byte[1])))
        .as("a REQ's")
        .hasSize(3)
        .startsWith("id", "");
  }

  @Test
  void split_requestOfOurs_hasItsIdAndBody() throws Exception {
    Envelope request = Envelope.ofRequest(0x0102030405060708L);
    List<Frame> body = List.of(Frame.of(new byte[] {1}), Frame.of(new byte[] {2}));

    List<Frame> sent = request.with("payload".getBytes(UTF_8), body);
    Envelope.Content content = Envelope.split(new Multipart(sent, ""));

    assertThat(content.envelope().requestId()).hasValue(0x0102030405060708L);
    assertThat(content.body()).hasSize(2);
    assertThat(content.payload()).isEqualTo("payload".getBytes(UTF_8));
  }

  @Test
  void requestId_otherEnvelopes_absent() throws Exception {
    assertThat(Envelope.splitRouted(message("id", "", "p")).envelope().requestId()).isEmpty();
    assertThat(Envelope.splitRouted(message("id", "p")).envelope().requestId()).isEmpty();
    assertThat(Envelope.splitRouted(message("id", "123", "", "p")).envelope().requestId())
        .isEmpty();
    assertThat(Envelope.split(message("", "p")).envelope().requestId()).isEmpty();
  }

  @Test
  void peer_sameIdentity_equal() throws Exception {
    PeerId one = Envelope.splitRouted(message("id", "p")).envelope().peer();
    PeerId same = Envelope.splitRouted(message("id", "", "q")).envelope().peer();
    PeerId other = Envelope.splitRouted(message("ie", "p")).envelope().peer();

    assertThat(one).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo(other);
  }

  @Test
  void splitRouted_noPayload_refused() {
    for (Multipart bad :
        List.of(
            message("id"),
            message("id", ""),
            message("id", "", ""),
            message("id", "12345678", ""),
            message("id", "", "p", ""),
            message("id", "", "", "p"),
            message("id", "", "p", "", "b"))) {
      assertThatThrownBy(() -> Envelope.splitRouted(bad))
          .as(bad.frames().toString())
          .isInstanceOf(EnvelopeException.class);
    }
  }

  @Test
  void multipart_inALogLine_tellsSourceLengthsAndStart() {
    Multipart message =
        new Multipart(
            List.of(Frame.of(new byte[5]), Frame.of("0123456789abcdefXYZ".getBytes(UTF_8))),
            "10.0.0.9:4711");

    assertThat(message.toString())
        .contains("10.0.0.9:4711", "5 bytes", "19 bytes", "30313233343536373839616263646566")
        .doesNotContain("58595a");
  }
}
