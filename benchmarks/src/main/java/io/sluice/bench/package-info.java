/** Variants side by side, repeated: figures with their spread, for both engines. */
package io.sluice.bench;
