#pragma once

// Everything: include this, or the parts.
#include "swiglu/activation.h"
#include "swiglu/elementwise.h"
#include "swiglu/error.h"
#include "swiglu/executor.h"
#include "swiglu/feed_forward.h"
#include "swiglu/function.h"
#include "swiglu/hidden_width.h"
#include "swiglu/isa.h"
#include "swiglu/version.h"
#include "swiglu/weights.h"
