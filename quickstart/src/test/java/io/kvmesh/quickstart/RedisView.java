package io.kvmesh.quickstart;

import io.kvmesh.quickstart.fleet.Member;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What the durable copy of the index says, read by its documented key schema and nothing else. */
final class RedisView implements AutoCloseable {

  private final Socket socket;
  private final DataInputStream in;

  /**
   * @param address host:port
   */
  RedisView(String address) throws IOException {
    int colon = address.lastIndexOf(':');
    socket =
        new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /** The hashes that it places at each agent. */
  Map<String, Set<String>> placements(List<Member> agents) throws IOException {
    Map<String, Set<String>> placements = new HashMap<>();
    for (Member agent : agents) {
      Set<String> hashes = new TreeSet<>();
      for (byte[] set : array("KEYS", "kvmesh:{" + agent.name() + "/0}:keys:*")) {
        for (byte[] hash : array("SMEMBERS", new String(set, StandardCharsets.UTF_8))) {
          hashes.add(Long.toUnsignedString(ByteBuffer.wrap(hash).getLong()));
        }
      }
      placements.put(agent.name(), hashes);
    }
    return placements;
  }

  private List<byte[]> array(String... words) throws IOException {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      int bytes = word.getBytes(StandardCharsets.UTF_8).length;
      request.append('$').append(bytes).append("\r\n").append(word).append("\r\n");
    }
    OutputStream out = socket.getOutputStream();
    out.write(request.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
    int count = number('*');
    List<byte[]> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(in.readNBytes(number('$')));
      in.skipNBytes(2);
    }
    return elements;
  }

  private int number(char kind) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("Redis has closed the connection");
      }
      line.append((char) c);
    }
    if (line.charAt(0) != kind) {
      throw new IOException("Redis answers " + line);
    }
    return Integer.parseInt(line.substring(1).strip());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
