package io.kvmesh.agent.memory;

import java.util.Arrays;
import java.util.Optional;

/** Type of a cached value, under the name that it has in LMCache's keys. */
public enum Dtype {
  HALF("half", 2),
  BFLOAT16("bfloat16", 2),
  FLOAT("float", 4),
  DOUBLE("double", 8),
  UINT8("uint8", 1),
  INT8("int8", 1),
  INT16("int16", 2),
  INT32("int32", 4),
  INT64("int64", 8),
  BOOL("bool", 1),
  FP8_E4M3FN("fp8_e4m3fn", 1),
  FP8_E4M3FNUZ("fp8_e4m3fnuz", 1),
  FP8_E5M2("fp8_e5m2", 1),
  FP8_E5M2FNUZ("fp8_e5m2fnuz", 1);

  private final String keyName;
  private final int bytes;

  Dtype(String keyName, int bytes) {
    this.keyName = keyName;
    this.bytes = bytes;
  }

  /** As in keys. */
  public String keyName() {
    return keyName;
  }

  /** Bytes of one value. */
  public int bytes() {
    return bytes;
  }

  /** The type of that name; float16, float32 and float64 are other names of half, float, double. */
  public static Optional<Dtype> ofName(String name) {
    String known =
        switch (name) {
          case "float16" -> "half";
          case "float32" -> "float";
          case "float64" -> "double";
          default -> name;
        };
    return Arrays.stream(values()).filter(dtype -> dtype.keyName.equals(known)).findFirst();
  }
}
