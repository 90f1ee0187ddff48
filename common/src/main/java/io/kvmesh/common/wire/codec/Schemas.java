package io.kvmesh.common.wire.codec;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.AsArray;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.Message;
import io.kvmesh.common.wire.TagField;
import io.kvmesh.common.wire.TagValue;
import io.kvmesh.common.wire.control.ControlMessage;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.engine.EngineMessage;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.handshake.HandshakeMessage;
import io.kvmesh.common.wire.peer.PeerMessage;
import io.kvmesh.common.wire.vllm.BlockHash;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Makes the codecs of records and families from their declarations, once for each. Any thread. */
final class Schemas {

  private static final String TYPE = "type";
  private static final List<Class<? extends Message>> FAMILIES =
      List.of(
          DirectoryMessage.class,
          ControlMessage.class,
          PeerMessage.class,
          HandshakeMessage.class,
          LogEvent.class,
          EngineMessage.class);

  private static final Map<Class<?>, ValueCodec> SCALARS =
      Map.of(
          boolean.class, ScalarCodec.BOOLEAN,
          Boolean.class, ScalarCodec.BOOLEAN,
          int.class, ScalarCodec.INT,
          Integer.class, ScalarCodec.INT,
          long.class, ScalarCodec.LONG,
          Long.class, ScalarCodec.LONG,
          double.class, ScalarCodec.DOUBLE,
          String.class, ScalarCodec.STRING,
          Bytes.class, ScalarCodec.BYTES,
          ChunkHash.class, ScalarCodec.HASH);

  private final Map<Class<?>, StructCodec> messages = new ConcurrentHashMap<>();
  private final Map<Class<?>, UnionCodec> families = new ConcurrentHashMap<>();
  private final Set<String> knownTypes = new HashSet<>();

  Schemas() {
    FAMILIES.forEach(family -> forEachRecord(family, type -> knownTypes.add(type.getSimpleName())));
  }

  /** The codec of a message's record. */
  StructCodec message(Class<?> type) {
    StructCodec known = messages.get(type);
    return known != null ? known : messages.computeIfAbsent(type, this::newMessage);
  }

  /** The codec of all messages of a sealed interface, or of one record. */
  UnionCodec family(Class<?> family) {
    UnionCodec known = families.get(family);
    return known != null ? known : families.computeIfAbsent(family, this::newFamily);
  }

  private StructCodec newMessage(Class<?> type) {
    return struct(type, new StructCodec.Tag(TYPE, type.getSimpleName()));
  }

  private UnionCodec newFamily(Class<?> family) {
    UnionCodec union = new UnionCodec(TYPE, knownTypes::contains);
    forEachRecord(family, type -> union.add(type.getSimpleName(), type, message(type)));
    return union;
  }

  private static void forEachRecord(Class<?> family, Consumer<Class<?>> action) {
    if (family.isRecord()) {
      action.accept(family);
    } else if (family.isSealed()) {
      for (Class<?> member : family.getPermittedSubclasses()) {
        forEachRecord(member, action);
      }
    } else {
      throw new IllegalArgumentException("Neither a record nor a sealed interface: " + family);
    }
  }

  private StructCodec struct(Class<?> type, StructCodec.Tag tag) {
    return new StructCodec(shape(type), tag);
  }

  /** The shape of a record that is no message of its own. */
  RecordShape shape(Class<?> type) {
    return new RecordShape(type, this::fieldCodec);
  }

  ValueCodec fieldCodec(RecordComponent component) {
    return component.isAnnotationPresent(FormatNumber.class)
        ? ScalarCodec.FORMAT
        : valueCodec(component.getAnnotatedType());
  }

  private ValueCodec valueCodec(AnnotatedType type) {
    Class<?> raw = Types.rawClass(type);
    if (raw == Object.class) {
      return new AnyCodec();
    }
    ValueCodec codec = containerOrScalar(raw, type);
    return Types.isNullable(type) ? new NullableCodec(codec) : codec;
  }

  private ValueCodec containerOrScalar(Class<?> raw, AnnotatedType type) {
    ValueCodec scalar = SCALARS.get(raw);
    if (scalar != null) {
      return scalar;
    }
    if (raw == BlockHash.class) {
      return ScalarCodec.BLOCK_HASH;
    }
    if (raw == KVOperations.class) {
      return new OperationsCodec(new StructCodec(shape(KVOpEvent.class), null));
    }
    if (raw.isEnum()) {
      return new EnumCodec(raw);
    }
    if (raw == List.class) {
      return new ListCodec(valueCodec(Types.argument(type, 0)));
    }
    if (raw == Map.class) {
      return new MapCodec(valueCodec(Types.argument(type, 0)), valueCodec(Types.argument(type, 1)));
    }
    if (raw.isAnnotationPresent(TagField.class)) {
      return nestedUnion(raw, raw.getAnnotation(TagField.class).value());
    }
    RecordShape shape = shape(raw);
    return raw.isAnnotationPresent(AsArray.class)
        ? new TupleCodec(shape)
        : new StructCodec(shape, null);
  }

  private UnionCodec nestedUnion(Class<?> family, String tagField) {
    UnionCodec union = new UnionCodec(tagField, tag -> false);
    forEachRecord(
        family,
        type -> {
          TagValue named = type.getAnnotation(TagValue.class);
          String tag = named == null ? type.getSimpleName() : named.value();
          union.add(tag, type, struct(type, new StructCodec.Tag(tagField, tag)));
        });
    return union;
  }
}
