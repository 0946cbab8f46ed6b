/** Where files have their bytes. */
package io.sluice.memory.fs.space;
