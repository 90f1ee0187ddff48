package io.kvmesh.common.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a field has when it is absent. It is still written. The text of the value; empty is null for
 * a nullable field, else the empty list or map, zero or false.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface DefaultValue {

  /** The value as text. */
  String value() default "";
}
