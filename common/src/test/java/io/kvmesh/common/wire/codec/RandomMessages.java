package io.kvmesh.common.wire.codec;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.control.ControlMessage;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatCommand;
import io.kvmesh.common.wire.engine.EngineMessage;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.handshake.HandshakeMessage;
import io.kvmesh.common.wire.peer.PeerMessage;
import io.kvmesh.common.wire.vllm.BlockHash;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Messages of every type with values of every kind. */
final class RandomMessages {

  static final List<Class<? extends Message>> FAMILIES =
      List.of(
          DirectoryMessage.class,
          ControlMessage.class,
          PeerMessage.class,
          HandshakeMessage.class,
          LogEvent.class,
          EngineMessage.class);

  private final Random random;

  RandomMessages(Random random) {
    this.random = random;
  }

  static List<Class<?>> typesOf(Class<?> family) {
    if (family.isRecord()) {
      return List.of(family);
    }
    List<Class<?>> types = new ArrayList<>();
    for (Class<?> member : family.getPermittedSubclasses()) {
      types.addAll(typesOf(member));
    }
    return types;
  }

  Object next(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] =
          components[i].isAnnotationPresent(FormatNumber.class)
              ? 1
              : value(components[i].getAnnotatedType());
    }
    return type.getDeclaredConstructor(types).newInstance(values);
  }

  private @Nullable Object value(AnnotatedType type) throws ReflectiveOperationException {
    if (type.isAnnotationPresent(Nullable.class) && random.nextInt(3) == 0) {
      return null;
    }
    if (type instanceof AnnotatedParameterizedType generic) {
      AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
      return arguments.length == 1 ? list(arguments[0]) : map(arguments[0], arguments[1]);
    }
    Class<?> raw = (Class<?>) type.getType();
    if (raw.isEnum()) {
      Object[] constants = raw.getEnumConstants();
      return constants[random.nextInt(constants.length)];
    }
    if (raw == HeartbeatCommand.class) {
      return next(FullSyncCommand.class);
    }
    if (raw == KVOperations.class) {
      return operations();
    }
    if (raw == BlockHash.class) {
      return blockHash();
    }
    return raw.isRecord() ? next(raw) : scalar(raw);
  }

  private BlockHash blockHash() {
    byte[] digest =
        new byte[BlockHash.LEAST_BYTES + random.nextInt(1 + BlockHash.MOST_BYTES - Long.BYTES)];
    random.nextBytes(digest);
    return random.nextBoolean() ? BlockHash.of(number()) : BlockHash.of(Bytes.of(digest));
  }

  private KVOperations operations() throws ReflectiveOperationException {
    List<KVOpEvent> operations = new ArrayList<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      operations.add((KVOpEvent) next(KVOpEvent.class));
    }
    return KVOperations.of(operations);
  }

  private List<?> list(AnnotatedType element) throws ReflectiveOperationException {
    List<@Nullable Object> elements = new ArrayList<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      elements.add(value(element));
    }
    return elements;
  }

  private Map<?, ?> map(AnnotatedType key, AnnotatedType value)
      throws ReflectiveOperationException {
    Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      entries.put(value(key), value(value));
    }
    return entries;
  }

  private Object scalar(Class<?> raw) {
    if (raw == int.class || raw == Integer.class) {
      return (int) number();
    }
    if (raw == long.class || raw == Long.class) {
      return number();
    }
    if (raw == boolean.class || raw == Boolean.class) {
      return random.nextBoolean();
    }
    if (raw == double.class) {
      return random.nextDouble() * random.nextInt();
    }
    if (raw == ChunkHash.class) {
      return random.nextBoolean() ? ChunkHash.ofSigned(number()) : ChunkHash.ofUnsigned(number());
    }
    if (raw == Bytes.class) {
      byte[] content = new byte[random.nextInt(300)];
      random.nextBytes(content);
      return Bytes.of(content);
    }
    return raw == String.class || random.nextBoolean() ? text() : number();
  }

  /** All widths alike, both signs. */
  private long number() {
    return random.nextLong() >> random.nextInt(Long.SIZE);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(10) == 0 ? random.nextInt(70_000) : random.nextInt(40);
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(
          random.nextInt(8) > 0 ? 0x20 + random.nextInt(0x5f) : 0xa0 + random.nextInt(0xd000));
    }
    return text.toString();
  }
}
