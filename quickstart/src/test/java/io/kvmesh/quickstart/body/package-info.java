@NullMarked
package io.kvmesh.quickstart.body;

import org.jspecify.annotations.NullMarked;
