package io.kvmesh.common.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The name of a member in its family's tag field, where it isn't the record's simple name. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TagValue {

  /** The name on the wire. */
  String value();
}
