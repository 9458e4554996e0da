/*
 * utf8.cu
 *	  UTF-8.
 */
#include "device.h"

static EngineStatus
none_yet(const EngineJob *job, size_t *sizes)
{
	return not_supported("");
}

const DeviceOperation device_utf8 = {false, none_yet};
const DeviceOperation device_utf8_encode = {false, none_yet};
