package io.kvmesh.common.wire.codec;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.wire.AsArray;
import io.kvmesh.common.wire.Bytes;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatCommand;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Makes records from the fields of golden vectors; it shares nothing with the codec. */
final class JsonRecords {

  private JsonRecords() {}

  static Object toRecord(Class<?> type, JsonNode fields) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      JsonNode value =
          type.isAnnotationPresent(AsArray.class)
              ? fields.path(i)
              : fields.path(snakeCase(components[i].getName()));
      values[i] = toValue(components[i].getGenericType(), value);
    }
    return type.getDeclaredConstructor(types).newInstance(values);
  }

  private static String snakeCase(String camelCase) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < camelCase.length(); i++) {
      char c = camelCase.charAt(i);
      name.append(Character.isUpperCase(c) ? "_" + Character.toLowerCase(c) : c);
    }
    return name.toString();
  }

  private static @Nullable Object toValue(Type type, JsonNode json)
      throws ReflectiveOperationException {
    if (json.isNull() || json.isMissingNode()) {
      return null;
    }
    if (type instanceof ParameterizedType generic) {
      return generic.getRawType() == List.class ? toList(generic, json) : toMap(generic, json);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isEnum()) {
      return enumConstant(raw, json.asString());
    }
    if (raw == HeartbeatCommand.class) {
      return toRecord(FullSyncCommand.class, json);
    }
    if (raw == KVOperations.class) {
      return operations(json);
    }
    return raw.isRecord() ? toRecord(raw, json) : toScalar(raw, json);
  }

  private static KVOperations operations(JsonNode json) throws ReflectiveOperationException {
    List<KVOpEvent> operations = new ArrayList<>();
    for (JsonNode operation : json) {
      operations.add((KVOpEvent) toRecord(KVOpEvent.class, operation));
    }
    return KVOperations.of(operations);
  }

  private static Object toScalar(Class<?> raw, JsonNode json) {
    if (raw == ChunkHash.class) {
      return hash(json.bigIntegerValue());
    }
    if (raw == Bytes.class) {
      return Bytes.of(HexFormat.of().parseHex(json.path("$hex").asString()));
    }
    if (raw == String.class) {
      return json.asString();
    }
    if (raw == int.class || raw == Integer.class) {
      return json.bigIntegerValue().intValueExact();
    }
    if (raw == long.class || raw == Long.class) {
      return json.bigIntegerValue().longValueExact();
    }
    if (raw == boolean.class || raw == Boolean.class) {
      return json.booleanValue();
    }
    if (raw == double.class) {
      return json.doubleValue();
    }
    return any(json);
  }

  static ChunkHash hash(BigInteger value) {
    return value.signum() < 0
        ? ChunkHash.ofSigned(value.longValueExact())
        : ChunkHash.ofUnsigned(value.longValue());
  }

  private static Object any(JsonNode json) {
    return json.isIntegralNumber()
        ? json.bigIntegerValue().longValueExact()
        : json.isBoolean() ? json.booleanValue() : json.asString();
  }

  private static Object enumConstant(Class<?> type, String name) {
    for (Object constant : type.getEnumConstants()) {
      if (((Enum<?>) constant).name().toLowerCase(Locale.ROOT).equals(name)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(name);
  }

  private static List<?> toList(ParameterizedType type, JsonNode json)
      throws ReflectiveOperationException {
    List<@Nullable Object> elements = new ArrayList<>();
    for (JsonNode element : json) {
      elements.add(toValue(type.getActualTypeArguments()[0], element));
    }
    return elements;
  }

  private static Map<?, ?> toMap(ParameterizedType type, JsonNode json)
      throws ReflectiveOperationException {
    Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : json.properties()) {
      Object key =
          type.getActualTypeArguments()[0] == Integer.class
              ? Integer.valueOf(entry.getKey())
              : entry.getKey();
      entries.put(key, toValue(type.getActualTypeArguments()[1], entry.getValue()));
    }
    return entries;
  }
}
