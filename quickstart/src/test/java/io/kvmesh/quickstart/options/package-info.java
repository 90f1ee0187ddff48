@NullMarked
package io.kvmesh.quickstart.options;

import org.jspecify.annotations.NullMarked;
